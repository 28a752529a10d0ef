import { useNavigate } from "@tanstack/react-router";
import { Settings2 } from "lucide-react";
import { Button, Menu, type MenuItem } from "../design/index.ts";
import { type Preferences, setPreferences, usePreferences } from "../preferences/index.ts";
import { signOut, useAccount } from "../service/index.ts";
import { useWords } from "../words/index.ts";

const LANGUAGES = { en: "English", "zh-CN": "简体中文" };

export function AccountMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const words = useWords();
  const navigate = useNavigate();
  const { data, isAccount } = useAccount();
  const preferences = usePreferences();
  const choices = <Field extends keyof Preferences>(
    field: Field,
    labels: Record<Preferences[Field] & string, string>,
  ): MenuItem[] =>
    Object.entries<string>(labels).map(([value, label]) => ({
      id: value,
      label,
      checked: preferences[field] === value,
      run: () => setPreferences({ [field]: value }),
    }));
  return (
    <Menu
      align="start"
      trigger={
        <Button
          tone="quiet"
          className="w-full min-w-0 justify-start! px-2!"
          aria-label={[words.frame.account, data?.account.name].filter(Boolean).join(": ")}
          icon={<Settings2 className="size-4" aria-hidden />}
        >
          <span className="truncate">{data?.account.name ?? words.frame.account}</span>
        </Button>
      }
      groups={[
        { label: words.frame.theme, items: choices("theme", words.frame.themes) },
        { label: words.frame.language, items: choices("language", LANGUAGES) },
        { label: words.frame.zone, items: choices("zone", words.frame.zones) },
        {
          items: [
            ...(isAccount
              ? [
                  {
                    id: "account",
                    label: words.frame.yourAccount,
                    run: () => void navigate({ to: "/account" }),
                  },
                ]
              : []),
            { id: "shortcuts", label: words.frame.shortcuts, run: onShortcuts },
            { id: "sign-out", label: words.frame.signOut, run: () => void signOut() },
          ],
        },
      ]}
    />
  );
}

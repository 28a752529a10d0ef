import { useNavigate } from "@tanstack/react-router";
import { CircleUserRound, Hash, Keyboard, Languages, LogOut, SunMoon } from "lucide-react";
import {
  AgentBadge,
  type Command,
  type CommandGroup,
  CommandPalette,
  useShownScreenKeys,
} from "../design/index.ts";
import { getPreferences, setPreferences } from "../preferences/index.ts";
import { signOut, useAgents } from "../service/index.ts";
import { useWords } from "../words/index.ts";
import { usePageEntries } from "./pages.ts";
import { useSwitchAgent } from "./switch-agent.ts";

export interface PaletteProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onShortcuts: () => void;
}

export function Palette({ open, onOpenChange, onShortcuts }: PaletteProps) {
  const words = useWords();
  const navigate = useNavigate();
  const switchAgent = useSwitchAgent();
  const { agents } = useAgents();
  const pages = usePageEntries().map(({ id, to, icon: Icon, key }): Command => ({
    id,
    label: words.frame.pages[id],
    also: id,
    icon: <Icon aria-hidden />,
    keys: ["g", key],
    run: () => void navigate({ to }),
  }));
  const ofAgents = agents.map((agent): Command => ({
    id: agent.agent_id,
    label: agent.name,
    also: agent.agent_id,
    icon: <AgentBadge name={agent.name} />,
    run: () => switchAgent(agent.agent_id),
  }));
  const actions: Command[] = [
    {
      id: "account",
      label: words.frame.yourAccount,
      also: "account sessions password profile",
      icon: <CircleUserRound aria-hidden />,
      run: () => void navigate({ to: "/account" }),
    },
    {
      id: "components",
      label: words.frame.pages.design,
      also: "design system components",
      icon: <Hash aria-hidden />,
      run: () => void navigate({ to: "/design" }),
    },
    {
      id: "theme",
      label: `${words.frame.theme}${words.common.colon}${words.frame.themes.light} / ${words.frame.themes.dark}`,
      also: "theme dark light",
      icon: <SunMoon aria-hidden />,
      run: () => setPreferences({ theme: isDark() ? "light" : "dark" }),
    },
    {
      id: "language",
      label: `${words.frame.language}${words.common.colon}English / 简体中文`,
      also: "language chinese english",
      icon: <Languages aria-hidden />,
      run: () => setPreferences({ language: getPreferences().language === "en" ? "zh-CN" : "en" }),
    },
    {
      id: "shortcuts",
      label: words.frame.shortcuts,
      also: "keyboard",
      icon: <Keyboard aria-hidden />,
      keys: ["?"],
      run: onShortcuts,
    },
    {
      id: "sign-out",
      label: words.frame.signOut,
      also: "logout",
      icon: <LogOut aria-hidden />,
      run: () => void signOut(),
    },
  ];
  const ofScreen = useShownScreenKeys();
  const screenActions = ofScreen.keys.map(({ key, label, also, run }): Command => ({
    id: `key-${key}`,
    label,
    ...(also !== undefined && { also }),
    icon: <Keyboard aria-hidden />,
    keys: [key],
    run,
  }));
  const groups: CommandGroup[] = [
    { label: ofScreen.title, items: screenActions },
    { label: words.palette.pages, items: pages },
    { label: words.palette.agents, items: ofAgents },
    { label: words.palette.actions, items: actions },
  ].filter(({ items }) => items.length > 0);
  return <CommandPalette open={open} onOpenChange={onOpenChange} groups={groups} />;
}

function isDark(): boolean {
  return (
    getComputedStyle(document.documentElement).colorScheme === "dark" ||
    (getPreferences().theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches)
  );
}

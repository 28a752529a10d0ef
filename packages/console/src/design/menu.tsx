import { Menu as BaseMenu } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { classNames } from "./class-names.ts";
import { FLOATING, FLOATING_ITEM } from "./floating.ts";

export interface MenuItem {
  id: string;
  label: string;
  icon?: ReactNode;
  /** For a choice: whether it is the chosen one. */
  checked?: boolean;
  tone?: "bad";
  run: () => void;
}

export interface MenuGroup {
  label?: string;
  items: readonly MenuItem[];
}

export interface MenuProps {
  trigger: ReactElement<Record<string, unknown>>;
  groups: readonly MenuGroup[];
  align?: "start" | "end";
}

export function Menu({ trigger, groups, align = "end" }: MenuProps) {
  return (
    <BaseMenu.Root modal={false}>
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner sideOffset={4} align={align} className="z-50">
          <BaseMenu.Popup
            className={classNames(
              FLOATING,
              "max-h-(--available-height) min-w-48 max-w-80 overflow-y-auto rounded-lg p-1",
            )}
          >
            {groups.map((group, index) => (
              <BaseMenu.Group
                key={group.label ?? index}
                className={classNames(index > 0 && "mt-1 border-t border-line pt-1")}
              >
                {group.label !== undefined && (
                  <BaseMenu.GroupLabel className="px-2 pt-1.5 pb-1 text-2xs font-medium text-ink-faint">
                    {group.label}
                  </BaseMenu.GroupLabel>
                )}
                {group.items.map((item) => (
                  <BaseMenu.Item
                    key={item.id}
                    onClick={item.run}
                    className={classNames(FLOATING_ITEM, item.tone === "bad" && "text-bad!")}
                  >
                    {item.icon}
                    <span className="flex-1 truncate">{item.label}</span>
                    {item.checked === true && <Check className="size-3.5 text-accent" aria-hidden />}
                  </BaseMenu.Item>
                ))}
              </BaseMenu.Group>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

import { Link } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { classNames, Key } from "../design/index.ts";
import { useWords } from "../words/index.ts";
import { AccountMenu } from "./account-menu.tsx";
import { AgentSwitcher } from "./agent-switcher.tsx";
import { Mark } from "./mark.tsx";
import { usePageGroups } from "./pages.ts";
import { COMMAND_KEY } from "./shortcuts.ts";

export interface NavigationProps {
  onPalette: () => void;
  onShortcuts: () => void;
  /** On a phone: a page was chosen, and the drawer may close. */
  onChosen?: () => void;
}

const ITEM =
  "flex h-8 items-center gap-2.5 rounded-md px-2 text-sm text-ink-soft transition-colors hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink";

export function Navigation({ onPalette, onShortcuts, onChosen }: NavigationProps) {
  const words = useWords();
  const groups = usePageGroups();
  return (
    <div className="flex h-full flex-col gap-3 p-3">
      <div className="flex items-center gap-2 px-1 pt-1 pb-0.5">
        <Mark className="size-6" />
        <span className="text-sm font-semibold tracking-tight text-ink">{words.frame.product}</span>
      </div>
      <AgentSwitcher />
      <button
        type="button"
        onClick={onPalette}
        className="flex h-8 items-center gap-2 rounded-md border border-line bg-sunken px-2 text-left text-sm text-ink-faint hover:border-line-strong"
      >
        <Search className="size-3.5" aria-hidden />
        <span className="min-w-0 flex-1 truncate">{words.frame.search}</span>
        <span className="flex gap-0.5">
          <Key>{COMMAND_KEY}</Key>
          <Key>K</Key>
        </span>
      </button>
      <nav aria-label={words.frame.mainNavigation} className="-mx-1 min-h-0 flex-1 overflow-y-auto px-1">
        {groups.map((group, index) => {
          const label = group.label(words);
          return (
            <div key={index} className={classNames(index > 0 && "mt-4")}>
              {label !== undefined && (
                <h2 className="mb-1 px-2 text-2xs font-medium text-ink-faint">{label}</h2>
              )}
              <ul className="flex flex-col gap-px">
                {group.pages.map(({ id, to, icon: Icon }) => (
                  <li key={id}>
                    <Link
                      to={to}
                      className={ITEM}
                      activeOptions={{ exact: to === "/", includeSearch: false }}
                      {...(onChosen && { onClick: onChosen })}
                    >
                      <Icon className="size-4 shrink-0" aria-hidden />
                      <span className="truncate">{words.frame.pages[id]}</span>
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </nav>
      <AccountMenu onShortcuts={onShortcuts} />
    </div>
  );
}

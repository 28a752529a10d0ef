import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { Search } from "lucide-react";
import type { ReactNode } from "react";
import { useWords } from "../words/index.ts";
import { Key } from "./page.tsx";

export interface Command {
  id: string;
  label: string;
  /** Other words by which it is found. */
  also?: string;
  icon?: ReactNode;
  /** The keys that do the same without the palette. */
  keys?: readonly string[];
  run: () => void;
}

export interface CommandGroup {
  label: string;
  items: Command[];
}

export interface CommandPaletteProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  groups: CommandGroup[];
}

export function CommandPalette({ open, onOpenChange, groups }: CommandPaletteProps) {
  const words = useWords();
  const choose = (command: Command) => {
    onOpenChange(false);
    command.run();
  };
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-scrim transition-opacity duration-100 data-starting-style:opacity-0 data-ending-style:opacity-0" />
        <Dialog.Popup
          aria-label={words.palette.title}
          className="fixed top-[14vh] left-1/2 z-40 w-[calc(100vw-1.5rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-xl bg-raised shadow-floating outline-none transition-[opacity,scale] duration-100 ease-out-soft data-starting-style:scale-98 data-starting-style:opacity-0 data-ending-style:opacity-0"
        >
          <Autocomplete.Root
            open
            inline
            items={groups.map((group) => ({ value: group.label, items: group.items }))}
            itemToStringValue={(command: Command) => `${command.label} ${command.also ?? ""}`}
            autoHighlight="always"
            keepHighlight
          >
            <div className="flex items-center gap-2.5 border-b border-line px-4">
              <Search className="size-4 shrink-0 text-ink-faint" aria-hidden />
              <Autocomplete.Input
                placeholder={words.palette.placeholder}
                aria-label={words.palette.title}
                className="h-12 min-w-0 flex-1 bg-transparent text-base text-ink outline-none"
              />
              <Key>Esc</Key>
            </div>
            <Autocomplete.Empty className="px-4 text-sm text-ink-soft not-empty:py-8 not-empty:text-center">
              {words.palette.nothing}
            </Autocomplete.Empty>
            <Autocomplete.List className="max-h-[min(24rem,60vh)] scroll-py-2 overflow-y-auto px-2 pb-2 empty:hidden">
              {(group: { value: string; items: Command[] }) => (
                <Autocomplete.Group key={group.value} items={group.items}>
                  <Autocomplete.GroupLabel className="px-2 pt-3 pb-1 text-2xs font-medium text-ink-faint">
                    {group.value}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(command: Command) => (
                      <Autocomplete.Item
                        key={command.id}
                        value={command}
                        onClick={() => choose(command)}
                        className="flex min-h-9 cursor-default items-center gap-2.5 rounded-md px-2 text-sm text-ink outline-none select-none data-highlighted:bg-hover [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-ink-faint"
                      >
                        {command.icon}
                        <span className="min-w-0 flex-1 truncate">{command.label}</span>
                        {command.keys?.map((key) => (
                          <Key key={key}>{key}</Key>
                        ))}
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

import { Dialog, Key, Switch, useShownScreenKeys } from "../design/index.ts";
import { setPreferences, usePreferences } from "../preferences/index.ts";
import { useWords } from "../words/index.ts";
import { usePageEntries } from "./pages.ts";
import { COMMAND_KEY } from "./shortcuts.ts";

export interface ShortcutSheetProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

export function ShortcutSheet({ open, onOpenChange }: ShortcutSheetProps) {
  const words = useWords();
  const { shortcuts } = usePreferences();
  const anywhere: [keys: string[], label: string][] = [
    [[COMMAND_KEY, "K"], words.frame.openPalette],
    [["/"], words.frame.focusSearch],
    [["?"], words.frame.showShortcuts],
    [["j", "k"], words.frame.moveInList],
  ];
  const pages = usePageEntries().map((page): [string[], string] => [
    ["g", page.key],
    words.frame.pages[page.id],
  ]);
  const ofScreen = useShownScreenKeys();
  const screenKeys = ofScreen.keys.map(({ key, label }): [string[], string] => [[key], label]);
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={words.frame.shortcuts}
      description={words.frame.shortcutsLead}
    >
      <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
        <div className="flex flex-col gap-5">
          {screenKeys.length > 0 && <Keys title={ofScreen.title} rows={screenKeys} />}
          <Keys title={words.frame.anywhere} rows={anywhere} />
        </div>
        <Keys title={words.frame.go} rows={pages} />
      </div>
      <div className="mt-5 border-t border-line pt-4">
        <Switch
          label={words.frame.shortcutsOn}
          help={words.frame.shortcutsHelp}
          checked={shortcuts}
          onChange={(on) => setPreferences({ shortcuts: on })}
        />
      </div>
    </Dialog>
  );
}

function Keys({ title, rows }: { title: string; rows: [keys: string[], label: string][] }) {
  return (
    <section>
      <h3 className="mb-2 text-xs font-medium text-ink-faint">{title}</h3>
      <dl className="flex flex-col gap-1.5">
        {rows.map(([keys, label]) => (
          <div key={label} className="flex items-center justify-between gap-4">
            <dt className="text-sm text-ink">{label}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <Key key={key}>{key}</Key>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

import { Button } from "../../design/index.ts";
import { useScreenWords } from "../../words/index.ts";

export interface SaveBarProps {
  isDirty: boolean;
  busy: boolean;
  onDiscard: () => void;
}

/** Below a form: saves, or takes back what was not saved yet. */
export function SaveBar({ isDirty, busy, onDiscard }: SaveBarProps) {
  const words = useScreenWords();
  return (
    <div className="flex min-h-8 items-center gap-2">
      <Button tone="primary" type="submit" disabled={!isDirty} busy={busy}>
        {words.common.save}
      </Button>
      {isDirty && (
        <>
          <Button tone="quiet" onClick={onDiscard}>
            {words.agent.discard}
          </Button>
          <span className="text-xs text-ink-faint" aria-live="polite">
            {words.agent.unsaved}
          </span>
        </>
      )}
    </div>
  );
}

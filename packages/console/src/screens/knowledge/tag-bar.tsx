import { normalTags, type Pair, TAG_MAX_CHARACTERS } from "@signalbox/contract";
import { Tag, X } from "lucide-react";
import { useId, useState } from "react";
import { Button, Menu, problemOf, showToast } from "../../design/index.ts";
import { useAction } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { PAIR_CHANGES } from "./use-pair-actions.ts";
import { useKnowledgeWords } from "./words.ts";

export interface TagBarProps {
  agentId: string;
  selected: readonly Pair[];
  /** Tags in use, to choose from while typing. */
  known: readonly string[];
  onClear: () => void;
}

/** What can be done with the questions that are ticked. */
export function TagBar({ agentId, selected, known, onClear }: TagBarProps) {
  const words = useWords();
  const text = useKnowledgeWords();
  const [typed, setTyped] = useState("");
  const suggestions = useId();
  const tagging = useAction("tagPairs", { changes: PAIR_CHANGES });
  const tell = (error: unknown) => {
    const { title, detail } = problemOf(error, words);
    showToast({ tone: "bad", title, description: detail });
  };
  const send = (pair_ids: string[], change: { add?: string[]; remove?: string[] }) =>
    tagging.mutateAsync({ agent_id: agentId, pair_ids, ...change });
  const tag = async (one: string, way: "add" | "remove") => {
    const ids = selected.map(({ pair_id }) => pair_id);
    const { changed } = await send(ids, { [way]: [one] });
    // Only the pairs it changed: those that had the tag before keep it.
    const back = way === "add" ? { remove: [one] } : { add: [one] };
    const undo = () => void send(changed, back).then(() => showToast({ title: text.undone }), tell);
    const title = way === "add" ? text.tagAdded(one, changed.length) : text.tagRemoved(one, changed.length);
    showToast(changed.length === 0 ? { title } : { title, action: { label: words.common.undo, run: undo } });
  };
  const submit = () => {
    const [one] = normalTags([typed]);
    if (one === undefined) return;
    void tag(one, "add").then(() => setTyped(""), tell);
  };
  const had = normalTags(selected.flatMap(({ tags }) => tags));
  return (
    <div
      role="group"
      // Messages appear above it: they would cover what is pressed next.
      data-bottom-bar
      aria-label={text.selection}
      className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 border-t border-line bg-selected px-4 py-1.5 sm:px-6"
    >
      <span role="status" className="text-xs font-medium text-ink tabular">
        {text.selected(selected.length)}
      </span>
      <form
        className="flex items-center gap-1.5"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <input
          aria-label={text.tag}
          placeholder={text.tag}
          list={suggestions}
          maxLength={TAG_MAX_CHARACTERS}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          className="h-7 w-36 rounded-md border border-line-strong bg-panel px-2 text-xs text-ink focus:outline-2 focus:outline-accent"
        />
        <datalist id={suggestions}>
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <Button
          size="sm"
          type="submit"
          busy={tagging.isPending}
          disabled={typed.trim() === ""}
          icon={<Tag className="size-3.5" aria-hidden />}
        >
          {text.addTag}
        </Button>
      </form>
      {had.length > 0 && (
        <Menu
          align="start"
          trigger={
            <Button size="sm" busy={tagging.isPending}>
              {text.removeTag}
            </Button>
          }
          groups={[
            {
              items: had.map((one) => ({
                id: one,
                label: one,
                run: () => void tag(one, "remove").catch(tell),
              })),
            },
          ]}
        />
      )}
      <Button
        size="sm"
        tone="quiet"
        className="ml-auto"
        icon={<X className="size-3.5" aria-hidden />}
        onClick={onClear}
      >
        {text.clearSelection}
      </Button>
    </div>
  );
}

import type { TryQuestionReply } from "@signalbox/contract";
import { BookmarkPlus } from "lucide-react";
import { Button, Menu, problemOf, showToast } from "../../../design/index.ts";
import { useAction } from "../../../service/index.ts";
import { useWords } from "../../../words/index.ts";
import { useSavedWords } from "./words.ts";

const OFFERED = 3;

export interface SaveMenuProps {
  agentId: string;
  question: string;
  reply: TryQuestionReply;
}

/** Keeps what was tried, with the pair that should answer it, or with none. */
export function SaveMenu({ agentId, question, reply }: SaveMenuProps) {
  const words = useWords();
  const text = useSavedWords();
  const save = useAction("saveQuestion", { changes: ["listSavedQuestions"] });
  const keep = (pair_id: string | undefined) =>
    save.mutate(
      { agent_id: agentId, question, pair_id },
      {
        onSuccess: () => showToast({ title: text.saved }),
        onError: (error) => {
          const { title, detail } = problemOf(error, words);
          showToast({ tone: "bad", title, description: detail });
        },
      },
    );
  const near = reply.pairs.slice(0, OFFERED).map((pair) => ({
    id: pair.pair_id,
    label: pair.question,
    run: () => keep(pair.pair_id),
  }));
  const none = { id: "none", label: text.noAnswer, run: () => keep(undefined) };
  return (
    <Menu
      trigger={
        <Button size="sm" busy={save.isPending} icon={<BookmarkPlus className="size-3.5" aria-hidden />}>
          {text.save}
        </Button>
      }
      groups={
        near.length === 0 ? [{ items: [none] }] : [{ label: text.saveLead, items: near }, { items: [none] }]
      }
    />
  );
}

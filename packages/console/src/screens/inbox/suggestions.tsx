import { useQuery } from "@tanstack/react-query";
import { Button, Problem, SkeletonLines } from "../../design/index.ts";
import { call } from "../../service/index.ts";
import { useInboxWords } from "./words.ts";

export interface SuggestionsProps {
  agentId: string;
  talkId: string;
  lastAsked: string | undefined;
  /** Into the composer: nothing is sent by itself. */
  onInsert: (answer: string) => void;
}

/** What the agent's knowledge says to the user's last message. */
export function Suggestions({ agentId, talkId, lastAsked, onInsert }: SuggestionsProps) {
  const text = useInboxWords();
  const { data, isError, error, refetch } = useQuery({
    queryKey: ["suggestAnswers", { agent_id: agentId, talk_id: talkId }, lastAsked],
    queryFn: ({ signal }) => call("suggestAnswers", { agent_id: agentId, talk_id: talkId }, { signal }),
  });
  return (
    <section
      aria-label={text.suggested}
      className="mb-3 max-h-56 overflow-y-auto rounded-lg border border-line bg-sunken"
    >
      <p className="border-b border-line px-3 py-2 text-xs text-ink-soft">{text.suggestedLead}</p>
      {isError ? (
        <Problem error={error} onRetry={() => void refetch()} className="py-4!" />
      ) : data === undefined ? (
        <SkeletonLines lines={2} className="p-3" />
      ) : data.list.length === 0 ? (
        <p className="px-3 py-3 text-sm text-ink-soft">{text.suggestedNone}</p>
      ) : (
        <ul>
          {data.list.map((pair) => (
            <li
              key={pair.pair_id}
              className="flex items-start gap-3 border-t border-line px-3 py-2 first:border-t-0"
            >
              <span className="flex min-w-0 flex-1 flex-col">
                <span className="truncate text-xs text-ink-faint">{pair.question}</span>
                <span className="line-clamp-2 text-sm wrap-anywhere text-ink">{pair.answer}</span>
              </span>
              <Button
                size="sm"
                aria-label={text.insertThis(pair.question)}
                onClick={() => onInsert(pair.answer)}
              >
                {text.insert}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

import type { CannedReply } from "@signalbox/contract";
import { classNames } from "../../design/index.ts";
import { useInboxWords } from "./words.ts";

/** By what they are called or say; those whose title begins with it come first. */
export function cannedMatches(replies: readonly CannedReply[], query: string): CannedReply[] {
  const wanted = query.toLowerCase();
  const rank = ({ title, text }: CannedReply) => {
    const at = title.toLowerCase().indexOf(wanted);
    if (at === 0) return 0;
    if (at > 0) return 1;
    return text.toLowerCase().includes(wanted) ? 2 : 3;
  };
  return replies.filter((reply) => rank(reply) < 3).toSorted((one, other) => rank(one) - rank(other));
}

export interface CannedListProps {
  id: string;
  replies: readonly CannedReply[];
  /** There are none at all, whatever is looked for. */
  isEmpty: boolean;
  highlighted: number;
  onChoose: (reply: CannedReply) => void;
}

/** Above the composer, whose field keeps the focus. */
export function CannedList({ id, replies, isEmpty, highlighted, onChoose }: CannedListProps) {
  const text = useInboxWords();
  return (
    <div className="absolute inset-x-4 bottom-full z-20 mb-1 max-h-64 overflow-y-auto rounded-lg bg-raised p-1 shadow-floating">
      <p
        role="status"
        aria-label={text.canned}
        className={replies.length === 0 ? "px-2 py-2 text-sm text-ink-soft" : "sr-only"}
      >
        {replies.length > 0
          ? text.cannedCount(replies.length)
          : isEmpty
            ? text.cannedNoneLead
            : text.cannedNoMatch}
      </p>
      {replies.length > 0 && (
        <ul id={id} role="listbox" aria-label={text.canned}>
          {replies.map((reply, index) => (
            <li
              key={reply.reply_id}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === highlighted}
              // The field keeps the focus, and with it the caret.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => onChoose(reply)}
              className={classNames(
                "flex cursor-default flex-col rounded-md px-2 py-1.5",
                index === highlighted ? "bg-hover" : "hover:bg-hover",
              )}
            >
              <span className="truncate text-sm font-medium text-ink">{reply.title}</span>
              <span className="truncate text-xs text-ink-soft">{reply.text}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

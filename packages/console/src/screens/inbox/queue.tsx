import type { Talk } from "@signalbox/contract";
import { Link } from "@tanstack/react-router";
import { Clock, Inbox as InboxIcon, Mail, PencilLine, TriangleAlert, Users } from "lucide-react";
import { memo, type ReactNode, useEffect, useRef } from "react";
import {
  Badge,
  type BadgeTone,
  Button,
  classNames,
  EmptyState,
  Problem,
  Skeleton,
  Time,
  useNow,
} from "../../design/index.ts";
import { TextFilter } from "../../design/text-filter.tsx";
import { useAccess } from "../../service/index.ts";
import { useHasDraft } from "./drafts.ts";
import { INBOX_VIEWS, type InboxView } from "./search.ts";
import { personName, userNameOf, type useTalks, type ViewCounts } from "./talks.ts";
import { waitLength, waitLevel, type WaitLevel } from "./waiting.ts";
import { useInboxWords } from "./words.ts";

export interface QueueProps {
  list: ReturnType<typeof useTalks>;
  view: InboxView;
  text: string | undefined;
  /** Above the list. */
  filter: ReactNode;
  talkId: string | undefined;
  onText: (text: string | undefined) => void;
  onView: (view: InboxView) => void;
}

/** The left pane: which talks there are, and which of them wait. */
export function Queue({ list, view, text, filter, talkId, onText, onView }: QueueProps) {
  const words = useInboxWords();
  return (
    <>
      <ViewTabs view={view} counts={list.counts} onView={onView} />
      {view === "closed" && (
        <div id="filters" className="shrink-0 border-b border-line p-2">
          <TextFilter className="w-full" label={words.search} text={text} onText={onText} />
        </div>
      )}
      {filter}
      {list.isError ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : list.isPending ? (
        <QueueSkeleton />
      ) : list.entries.length === 0 && !list.hasNextPage ? (
        <EmptyQueue view={view} isSearch={text !== undefined} onView={onView} />
      ) : (
        <div className="min-h-0 flex-1 overflow-y-auto">
          <ul aria-label={`${words.queue}: ${words.views[view]}`}>
            {list.entries.map((talk) => (
              <MemoQueueRow key={talk.talk_id} talk={talk} view={view} isOpen={talk.talk_id === talkId} />
            ))}
          </ul>
          {list.hasNextPage && (
            <div className="p-3 text-center">
              <Button size="sm" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                {words.showMore}
              </Button>
            </div>
          )}
        </div>
      )}
    </>
  );
}

function ViewTabs({
  view,
  counts,
  onView,
}: {
  view: InboxView;
  counts: ViewCounts | undefined;
  onView: (view: InboxView) => void;
}) {
  const words = useInboxWords();
  return (
    <div
      role="group"
      aria-label={words.viewsLabel}
      className="flex shrink-0 gap-0.5 overflow-x-auto border-b border-line px-2 py-2"
    >
      {INBOX_VIEWS.map((one) => {
        const count = one === "closed" ? undefined : counts?.[one];
        return (
          <Button
            key={one}
            size="sm"
            tone={one === view ? "plain" : "quiet"}
            aria-pressed={one === view}
            onClick={() => onView(one)}
          >
            {words.views[one]}
            {count !== undefined && count > 0 && (
              <span
                className={classNames(
                  "tabular rounded-sm px-1 text-2xs",
                  one === "waiting" ? "bg-accent-soft text-accent" : "bg-hover text-ink-soft",
                )}
              >
                {count}
              </span>
            )}
          </Button>
        );
      })}
    </div>
  );
}

function QueueRow({ talk, view, isOpen }: { talk: Talk; view: InboxView; isOpen: boolean }) {
  const words = useInboxWords();
  const { accountId } = useAccess();
  const hasDraft = useHasDraft(talk.talk_id);
  const row = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (isOpen) row.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  const isUnread = talk.unread_count > 0 && talk.state !== "closed";
  const person = talk.holder ?? talk.offered_to;
  return (
    <li className={classNames("relative border-b border-line", isOpen && "bg-selected")}>
      <Link
        ref={row}
        to="/inbox"
        search={(before) => ({ ...before, view, talk: talk.talk_id })}
        data-row-link
        aria-current={isOpen ? "true" : undefined}
        className="flex flex-col gap-1 px-4 py-3 -outline-offset-2! hover:bg-hover"
      >
        <span className="flex min-w-0 items-center gap-2">
          <span className={classNames("min-w-0 truncate text-sm text-ink", isUnread && "font-semibold")}>
            {userNameOf(talk, words.anonymous)}
          </span>
          {isUnread && (
            <span className="flex h-4 min-w-4 shrink-0 items-center justify-center rounded-full bg-accent-fill px-1 text-2xs font-medium text-on-accent">
              <span aria-hidden>{talk.unread_count}</span>
              <span className="sr-only">{words.unread(talk.unread_count)}</span>
            </span>
          )}
          <span className="ml-auto shrink-0">
            {talk.state === "closed" ? (
              <Time
                at={talk.close_time ?? talk.request_time}
                className="pointer-events-none text-xs text-ink-faint"
              />
            ) : (
              <WaitBadge since={talk.waiting_since} />
            )}
          </span>
        </span>
        <span className={classNames("truncate text-xs", isUnread ? "text-ink" : "text-ink-soft")}>
          {talk.last_user_message?.text ?? words.noMessages}
        </span>
        {(person !== null || talk.team !== null || hasDraft || talk.kind === "left_message") && (
          <span className="flex min-w-0 items-center gap-3 text-xs text-ink-faint">
            {talk.team !== null && (
              <span className="flex min-w-0 items-center gap-1">
                <Users className="size-3 shrink-0" aria-hidden />
                <span className="truncate">{talk.team.name}</span>
              </span>
            )}
            {person !== null && (
              <span className="min-w-0 truncate">
                {(talk.holder === null ? words.offeredTo : words.heldBy)(
                  personName(person, accountId, words.inSentence),
                )}
              </span>
            )}
            {talk.kind === "left_message" && (
              <span className="flex shrink-0 items-center gap-1">
                <Mail className="size-3" aria-hidden />
                {words.leftMessage}
              </span>
            )}
            {hasDraft && (
              <span className="flex shrink-0 items-center gap-1 text-warn">
                <PencilLine className="size-3" aria-hidden />
                {words.draft}
              </span>
            )}
          </span>
        )}
      </Link>
    </li>
  );
}

/** A message changes one of many: the others stay as they are. */
const MemoQueueRow = memo(QueueRow);

const TONES: Record<WaitLevel, BadgeTone> = { calm: "neutral", warn: "warn", late: "bad" };

/** How long the user waits for words of a human; nothing once they have them. */
export function WaitBadge({ since }: { since: number | null }) {
  const words = useInboxWords();
  const now = useNow();
  if (since === null) return null;
  const level = waitLevel(now - since);
  return (
    <Badge tone={TONES[level]} icon={level === "late" ? TriangleAlert : Clock}>
      <span className="sr-only">{words.waited[level]}: </span>
      <span className="tabular">{words.waitLength(waitLength(now - since))}</span>
    </Badge>
  );
}

function EmptyQueue({
  view,
  isSearch,
  onView,
}: {
  view: InboxView;
  isSearch: boolean;
  onView: (view: InboxView) => void;
}) {
  const words = useInboxWords();
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <EmptyState
        icon={InboxIcon}
        title={isSearch ? words.emptySearch : words.empty[view]}
        actions={
          view === "mine" || view === "team" ? (
            <Button onClick={() => onView("waiting")}>{words.goToWaiting}</Button>
          ) : undefined
        }
      >
        {isSearch ? words.emptySearchLead : words.emptyLead[view]}
      </EmptyState>
    </div>
  );
}

export function QueueSkeleton() {
  const words = useInboxWords();
  return (
    <div role="status" aria-label={words.queue} className="flex flex-col">
      <span className="sr-only">{words.loading}</span>
      {Array.from({ length: 6 }, (_, index) => (
        <div key={index} className="flex flex-col gap-2 border-b border-line px-4 py-3.5">
          <Skeleton className="w-6/12" />
          <Skeleton className="w-10/12" />
        </div>
      ))}
    </div>
  );
}

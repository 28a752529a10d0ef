import type { ConversationEntry } from "@signalbox/contract";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { MessagesSquare } from "lucide-react";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import {
  Button,
  classNames,
  type Column,
  DataTable,
  EmptyState,
  Page,
  Problem,
  ROW_LINK,
  Time,
} from "../../design/index.ts";
import { useAgents, useLiveList } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { SINCE_MS } from "../deliveries/search.ts";
import { ConversationFilters } from "./filters.tsx";
import { OutcomeBadge, userName } from "./outcome.tsx";
import type { ConversationSearch } from "./search.ts";

const idOf = (conversation: ConversationEntry) => conversation.conversation_id;
const MINUTE_MS = 60_000;

export function Conversations() {
  const words = useScreenWords();
  const text = words.conversations;
  const navigate = useNavigate({ from: "/conversations" });
  const { agent: agentId, ...search } = useSearch({ from: "/conversations" });
  const [now] = useState(() => Date.now());
  const input = useMemo(
    () => ({
      agent_id: agentId,
      text: agentId === undefined ? undefined : search.text,
      user_id: agentId === undefined ? undefined : search.user,
      outcome: search.outcome,
      channel: search.channel,
      control: search.control,
      from_time:
        search.since === undefined
          ? undefined
          : Math.floor((now - SINCE_MS[search.since]) / MINUTE_MS) * MINUTE_MS,
      with_last_message: true,
    }),
    [agentId, now, JSON.stringify(search)],
  );
  const list = useLiveList("searchConversations", input, { idOf, paused: search.text !== undefined });
  const change = useCallback(
    (changed: ConversationSearch) =>
      void navigate({ search: (before) => ({ ...before, ...changed }), replace: true }),
    [navigate],
  );
  const columns = useColumns(agentId);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  return (
    <Page
      layout="full"
      title={text.title}
      lead={text.lead}
      beside={
        list.newCount > 0 && (
          <Button
            size="sm"
            tone="primary"
            onClick={() => void list.showNew()}
            icon={<span className="size-1.5 rounded-full bg-on-accent" aria-hidden />}
          >
            <span aria-live="polite">{words.common.newOnes(list.newCount, list.newIsMore)}</span>
          </Button>
        )
      }
    >
      <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 px-4 pb-3 sm:px-6">
        <ConversationFilters search={search} canSearch={agentId !== undefined} onChange={change} />
      </div>
      {list.isError ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <DataTable
          label={text.title}
          columns={columns}
          rows={list.entries}
          idOf={idOf}
          loading={list.isPending}
          compact={(row) => <CompactRow conversation={row} />}
          onEnd={hasNextPage ? () => void fetchNextPage() : undefined}
          loadingMore={isFetchingNextPage}
          empty={
            isFiltered ? (
              <EmptyState icon={MessagesSquare} title={text.emptyFiltered}>
                {text.emptyFilteredLead}
              </EmptyState>
            ) : (
              <EmptyState icon={MessagesSquare} title={text.emptyTitle} command={text.emptyCommand}>
                {text.emptyLead}
              </EmptyState>
            )
          }
        />
      )}
    </Page>
  );
}

function useColumns(agentId: string | undefined): readonly Column<ConversationEntry>[] {
  const words = useScreenWords();
  const text = words.conversations;
  const { columns } = text;
  const { byId } = useAgents();
  return useMemo(() => {
    const all: (Column<ConversationEntry> | undefined)[] = [
      {
        id: "user",
        width: "minmax(8.5rem,0.9fr)",
        header: columns.user,
        cell: (row) => (
          <ConversationLink conversation={row}>{userName(row, text.anonymous)}</ConversationLink>
        ),
      },
      {
        id: "last",
        width: "minmax(10rem,2.2fr)",
        header: columns.last,
        cell: (row) => <LastMessage conversation={row} />,
      },
      {
        id: "outcome",
        width: "8rem",
        header: columns.outcome,
        cell: (row) => <OutcomeBadge outcome={row.outcome} />,
      },
      {
        id: "channel",
        width: "5rem",
        from: "lg",
        header: columns.channel,
        cell: (row) => <span className="text-ink-soft">{text.channels[row.channel]}</span>,
      },
      agentId === undefined
        ? {
            id: "agent",
            width: "minmax(6rem,0.7fr)",
            from: "lg",
            header: columns.agent,
            cell: (row) => (
              <span className="truncate">{byId.get(row.agent_id)?.name ?? words.common.unknownAgent}</span>
            ),
          }
        : undefined,
      {
        id: "messages",
        width: "5rem",
        from: "md",
        align: "end",
        header: columns.messages,
        cell: (row) => <span className="tabular">{row.message_count}</span>,
      },
      {
        id: "begun",
        width: "5.5rem",
        align: "end",
        header: columns.begun,
        cell: (row) => <Time at={row.create_time} className="text-ink-soft" />,
      },
    ];
    return all.filter((column) => column !== undefined);
  }, [agentId, byId, columns, text, words]);
}

function ConversationLink({
  conversation,
  children,
}: {
  conversation: ConversationEntry;
  children: ReactNode;
}) {
  return (
    <Link
      to="/conversations/$agentId/$conversationId"
      params={{ agentId: conversation.agent_id, conversationId: conversation.conversation_id }}
      data-row-link
      className={classNames(ROW_LINK, "truncate font-medium")}
    >
      {children}
    </Link>
  );
}

/** As text, whatever it holds: nothing of it is markup. */
function LastMessage({
  conversation: { last_message: last, is_redacted },
}: {
  conversation: ConversationEntry;
}) {
  const { common, conversations: text } = useScreenWords();
  if (is_redacted) return <span className="truncate text-ink-faint">{text.hidden}</span>;
  if (last === null) return <span className="truncate text-ink-faint">{text.noMessages}</span>;
  return (
    <span className="truncate text-ink-soft">
      <span className="text-ink-faint">{`${text.senders[last.sender]}${common.colon}`}</span>
      {last.text}
    </span>
  );
}

function CompactRow({ conversation }: { conversation: ConversationEntry }) {
  const text = useScreenWords().conversations;
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-2">
        <ConversationLink conversation={conversation}>
          {userName(conversation, text.anonymous)}
        </ConversationLink>
        <Time at={conversation.create_time} className="ml-auto text-xs text-ink-faint" />
      </div>
      <div className="flex min-w-0 items-center gap-2 text-xs">
        <OutcomeBadge outcome={conversation.outcome} />
        <LastMessage conversation={conversation} />
      </div>
    </div>
  );
}

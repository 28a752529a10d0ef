import type { ConversationTimeline } from "@signalbox/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ArrowLeft, Download, MessagesSquare, Trash2 } from "lucide-react";
import { useState } from "react";
import {
  Badge,
  Button,
  ConfirmDialog,
  CopyableId,
  EmptyState,
  Facts,
  Page,
  Panel,
  Problem,
  showProblem,
  showToast,
  SkeletonPanel,
  Time,
} from "../../design/index.ts";
import { call, useAccess, useAction, useAgents, usePollMs } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { OutcomeBadge, userName } from "./outcome.tsx";
import { Timeline } from "./timeline.tsx";

const PAGE_LIMIT = 100;

export function ConversationScreen() {
  const words = useScreenWords();
  const text = words.conversations;
  const { agentId, conversationId } = useParams({ from: "/conversations/$agentId/$conversationId" });
  const { may } = useAccess();
  const timeline = useInfiniteQuery({
    queryKey: ["getConversation", { agentId, conversationId }],
    queryFn: ({ pageParam, signal }) =>
      call(
        "getConversation",
        {
          agent_id: agentId,
          conversation_id: conversationId,
          limit: PAGE_LIMIT,
          cursor: pageParam ?? undefined,
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: usePollMs(),
  });
  const first = timeline.data?.pages[0];
  const items = timeline.data?.pages.flatMap((page) => page.list) ?? [];
  return (
    <Page
      title={first === undefined ? text.conversation : userName(first, text.anonymous)}
      beside={first !== undefined && <OutcomeBadge outcome={first.outcome} />}
      above={
        <Link
          to="/conversations"
          className="mb-2 inline-flex items-center gap-1.5 text-xs text-ink-soft hover:text-ink"
        >
          <ArrowLeft className="size-3.5" aria-hidden />
          {text.backToList}
        </Link>
      }
      actions={first !== undefined && may("exportUser", agentId) && <UserActions conversation={first} />}
    >
      {timeline.isError ? (
        <Problem error={timeline.error} onRetry={() => void timeline.refetch()} />
      ) : first === undefined ? (
        <SkeletonPanel lines={10} />
      ) : (
        <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
          <Panel title={text.timeline} flush>
            {items.length === 0 ? (
              <EmptyState icon={MessagesSquare} title={text.noMessages} />
            ) : (
              <Timeline items={items} opensDeliveries={may("getDelivery", agentId)} />
            )}
            {timeline.hasNextPage && (
              <div className="border-t border-line p-3 text-center">
                <Button
                  size="sm"
                  busy={timeline.isFetchingNextPage}
                  onClick={() => void timeline.fetchNextPage()}
                >
                  {text.showMore}
                </Button>
              </div>
            )}
          </Panel>
          <ConversationFacts conversation={first} />
        </div>
      )}
    </Page>
  );
}

function ConversationFacts({ conversation }: { conversation: ConversationTimeline }) {
  const words = useScreenWords();
  const text = words.conversations;
  const { byId } = useAgents();
  const { may } = useAccess();
  return (
    <Panel title={text.details}>
      <Facts
        facts={[
          {
            label: text.speaker,
            value: (
              <Badge tone={conversation.control === "human" ? "accent" : "neutral"}>
                {text.controls[conversation.control]}
              </Badge>
            ),
          },
          {
            label: words.deliveries.columns.agent,
            value: (
              <span className="truncate">
                {byId.get(conversation.agent_id)?.name ?? words.common.unknownAgent}
              </span>
            ),
          },
          { label: text.channel, value: text.channels[conversation.channel] },
          conversation.user_id !== null && {
            label: text.user,
            value: <CopyableId id={conversation.user_id} label={text.user} />,
          },
          conversation.anonymous_id !== null && {
            label: text.anonymousId,
            value: <CopyableId id={conversation.anonymous_id} label={text.anonymousId} />,
          },
          conversation.email !== null && {
            label: text.email,
            value: <span className="truncate">{conversation.email}</span>,
          },
          conversation.phone !== null && {
            label: text.phone,
            value: <span className="truncate">{conversation.phone}</span>,
          },
          { label: text.messages, value: <span className="tabular">{conversation.message_count}</span> },
          { label: text.epoch, value: <span className="tabular">{conversation.epoch}</span> },
          { label: text.begun, value: <Time at={conversation.create_time} as="short" /> },
          {
            label: text.conversation,
            value: <CopyableId short id={conversation.conversation_id} label={text.conversation} />,
          },
        ]}
      />
      {may("listDeliveries", conversation.agent_id) && (
        <Link
          to="/deliveries"
          search={{ agent: conversation.agent_id, conversation: conversation.conversation_id }}
          className="mt-4 inline-block text-sm font-medium text-accent hover:underline"
        >
          {text.deliveriesOf}
        </Link>
      )}
    </Panel>
  );
}

/** Exports or erases the person, not the conversation alone: that is what the law gives them a right to. */
function UserActions({ conversation }: { conversation: ConversationTimeline }) {
  const words = useScreenWords();
  const text = words.conversations;
  const [asks, setAsks] = useState(false);
  const { agent_id, user_id, anonymous_id } = conversation;
  const subject = user_id !== null ? { user_id } : anonymous_id !== null ? { anonymous_id } : undefined;
  const exported = useAction("exportUser", {
    onDone: (data) => {
      download(`${userName(conversation, "user")}.json`, JSON.stringify(data, null, 2));
      showToast({ title: text.exported });
    },
  });
  const erase = useAction("eraseUser", {
    changes: ["searchConversations"],
    onDone: () => showToast({ title: text.erased }),
  });
  if (subject === undefined) return <span className="text-xs text-ink-faint">{text.noUser}</span>;
  return (
    <>
      <Button
        busy={exported.isPending}
        icon={<Download className="size-3.5" aria-hidden />}
        onClick={() =>
          exported.mutate({ agent_id, ...subject }, { onError: (error) => showProblem(error, words) })
        }
      >
        {text.export}
      </Button>
      <Button icon={<Trash2 className="size-3.5" aria-hidden />} onClick={() => setAsks(true)}>
        {text.erase}
      </Button>
      <ConfirmDialog
        open={asks}
        onOpenChange={setAsks}
        title={text.eraseTitle}
        description={text.eraseLead}
        confirm={text.erase}
        onConfirm={() => erase.mutateAsync({ agent_id, ...subject })}
      />
    </>
  );
}

function download(name: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name.replaceAll(/[^\w.-]+/g, "-");
  link.click();
  URL.revokeObjectURL(url);
}

import type { TalkDetail, TalkMessage } from "@signalbox/contract";
import { Link } from "@tanstack/react-router";
import { ArrowLeft, ArrowRightLeft, CircleCheck, Hand, PanelRight } from "lucide-react";
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from "react";
import { Badge, Button, ConfirmDialog, IconButton, Problem, SkeletonLines } from "../../design/index.ts";
import { call, useAccess } from "../../service/index.ts";
import { Composer, type ComposerHandle } from "./composer.tsx";
import { useHasDraft } from "./drafts.ts";
import { WaitBadge } from "./queue.tsx";
import { TalkTimeline } from "./talk-timeline.tsx";
import { personName, userNameOf, type useTalk } from "./talks.ts";
import { TransferDialog } from "./transfer-dialog.tsx";
import { useUserTyping } from "./typing.ts";
import type { TalkActions } from "./use-talk-actions.ts";
import { useInboxWords } from "./words.ts";

/** What keys of the screen do with the open talk. */
export interface TalkHandle {
  reply: () => void;
  note: () => void;
  transfer: () => void;
  close: () => void;
}

export interface TalkPaneProps {
  ref: Ref<TalkHandle>;
  query: ReturnType<typeof useTalk>;
  actions: TalkActions;
  onTake: () => void;
  onPanel: () => void;
}

/** The middle pane: what was said, and what to say. */
export function TalkPane({ ref, query, actions, onTake, onPanel }: TalkPaneProps) {
  const text = useInboxWords();
  const [layer, setLayer] = useState<"transfer" | "close">();
  const composer = useRef<ComposerHandle>(null);
  const pane = useRef<HTMLElement>(null);
  const { talk, messages } = query;
  useSeen(talk, messages, actions.mayAnswer);
  const hasDraft = useHasDraft(talk?.talk_id ?? "");
  const isOpen = talk !== undefined && talk.state !== "closed" && actions.mayAnswer;
  const may = {
    take: isOpen && talk.state === "waiting",
    // Also what a colleague holds who has gone home.
    transfer: isOpen,
    close: isOpen && (talk.is_mine || talk.state === "waiting"),
  };
  useImperativeHandle(ref, () => ({
    reply: () => composer.current?.write("reply"),
    note: () => composer.current?.write("note"),
    transfer: () => may.transfer && setLayer("transfer"),
    close: () => may.close && setLayer("close"),
  }));
  const lastAsked = messages.findLast(({ sender }) => sender === "user")?.message_id;
  if (talk === undefined)
    return query.isError ? (
      <>
        <BackLink />
        <Problem error={query.error} onRetry={() => void query.refetch()} />
      </>
    ) : (
      <SkeletonLines lines={8} className="p-6" />
    );
  const answer = answerState(talk, text);
  return (
    <section
      ref={pane}
      tabIndex={-1}
      aria-label={text.chatWith(userNameOf(talk, text.anonymous))}
      className="flex min-h-0 flex-1 flex-col outline-none"
    >
      <TalkHead
        talk={talk}
        may={may}
        isTaking={actions.isTaking}
        onTake={onTake}
        onPanel={onPanel}
        onTransfer={() => setLayer("transfer")}
        onClose={() => setLayer("close")}
      />
      <TalkTimeline
        key={talk.talk_id}
        talk={talk}
        messages={messages}
        onOlder={query.hasNextPage ? () => void query.fetchNextPage() : undefined}
        isLoadingOlder={query.isFetchingNextPage}
      />
      <UserTyping key={`${talk.talk_id}-typing`} talk={talk} lastAsked={lastAsked} />
      <Announcer key={`${talk.talk_id}-heard`} talk={talk} messages={messages} />
      {actions.mayAnswer && (
        <Composer
          key={`${talk.talk_id}-composer`}
          ref={composer}
          talk={talk}
          lastAsked={lastAsked}
          refused={answer.refused}
          hint={answer.hint}
          onSend={(composed) => actions.send(talk.talk_id, composed)}
          onLeave={() => pane.current?.focus()}
        />
      )}
      {layer === "transfer" && (
        <TransferDialog
          agentId={talk.agent_id}
          talkId={talk.talk_id}
          actions={actions}
          onClose={() => setLayer(undefined)}
        />
      )}
      <ConfirmDialog
        open={layer === "close"}
        onOpenChange={(shows) => setLayer(shows ? "close" : undefined)}
        title={text.closeTitle}
        description={hasDraft ? `${text.closeLead} ${text.closeDraft}` : text.closeLead}
        confirm={text.close}
        tone="primary"
        onConfirm={() => actions.close(talk.talk_id)}
      />
    </section>
  );
}

/** Whether a reply can be sent, and what sending it does. */
function answerState(
  { state, is_mine, holder, kind, user }: TalkDetail,
  text: ReturnType<typeof useInboxWords>,
): Record<"refused" | "hint", string | undefined> {
  if (state === "closed") return { refused: undefined, hint: text.closedAlready };
  if (kind === "left_message") return { refused: text.leftMessageLead(user.email), hint: undefined };
  if (state === "waiting") return { refused: undefined, hint: text.replyTakes };
  return { refused: is_mine ? undefined : text.heldLead(holder?.name ?? text.somebody), hint: undefined };
}

function BackLink() {
  const text = useInboxWords();
  return (
    <Link
      to="/inbox"
      search={(before) => ({ ...before, talk: undefined })}
      aria-label={text.back}
      className="flex size-8 shrink-0 items-center justify-center rounded-md text-ink-soft hover:bg-hover md:hidden"
    >
      <ArrowLeft className="size-4" aria-hidden />
    </Link>
  );
}

interface TalkHeadProps {
  talk: TalkDetail;
  may: Record<"take" | "transfer" | "close", boolean>;
  isTaking: boolean;
  onTake: () => void;
  onPanel: () => void;
  onTransfer: () => void;
  onClose: () => void;
}

function TalkHead({ talk, may, isTaking, onTake, onPanel, onTransfer, onClose }: TalkHeadProps) {
  const text = useInboxWords();
  const { accountId } = useAccess();
  const isOpen = talk.state !== "closed";
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-1.5 border-b border-line px-3 py-2 sm:px-4">
      <BackLink />
      <h2 className="min-w-0 truncate text-base font-semibold text-ink">
        {userNameOf(talk, text.anonymous)}
      </h2>
      {isOpen ? <WaitBadge since={talk.waiting_since} /> : <Badge>{text.states.closed}</Badge>}
      <span role="status" aria-label={text.holder} className="min-w-0 truncate text-xs text-ink-faint">
        {[
          talk.team?.name,
          talk.holder !== null && isOpen && text.heldBy(personName(talk.holder, accountId, text.inSentence)),
        ]
          .filter(Boolean)
          .join(" · ")}
      </span>
      <div className="ml-auto flex items-center gap-1.5">
        {may.take && (
          <Button
            size="sm"
            tone="primary"
            busy={isTaking}
            icon={<Hand className="size-3.5" aria-hidden />}
            onClick={onTake}
          >
            {text.take}
          </Button>
        )}
        {may.transfer && (
          <Button size="sm" icon={<ArrowRightLeft className="size-3.5" aria-hidden />} onClick={onTransfer}>
            {text.transfer}
          </Button>
        )}
        {may.close && (
          <Button size="sm" icon={<CircleCheck className="size-3.5" aria-hidden />} onClick={onClose}>
            {text.close}
          </Button>
        )}
        <IconButton size="sm" label={text.showPanel} onClick={onPanel}>
          <PanelRight className="size-4" aria-hidden />
        </IconButton>
      </div>
    </header>
  );
}

/** What the holder has on screen is seen. */
function useSeen(talk: TalkDetail | undefined, messages: readonly TalkMessage[], mayAnswer: boolean): void {
  const asked = messages.findLast(({ sender }) => sender === "user")?.sequence ?? 0;
  const isUnseen = talk !== undefined && talk.is_mine && mayAnswer && asked > talk.seen_sequence;
  const { agent_id, talk_id } = talk ?? {};
  useEffect(() => {
    if (!isUnseen || agent_id === undefined || talk_id === undefined) return undefined;
    const mark = () => {
      if (!document.hidden)
        // Not seen is the worst that follows, and the next message tries again.
        void call("markTalkSeen", { agent_id, talk_id, sequence: asked }).catch(() => undefined);
    };
    mark();
    document.addEventListener("visibilitychange", mark);
    return () => document.removeEventListener("visibilitychange", mark);
  }, [isUnseen, agent_id, talk_id, asked]);
}

/** Its line is always there: what is said above does not jump. */
function UserTyping({ talk, lastAsked }: { talk: TalkDetail; lastAsked: string | undefined }) {
  const text = useInboxWords();
  const isTyping = useUserTyping(talk.talk_id, lastAsked);
  const name = userNameOf(talk, text.anonymous);
  if (talk.state === "closed") return null;
  return (
    <p
      role="status"
      aria-label={text.chatWith(name)}
      className="h-5 shrink-0 truncate px-4 text-xs text-ink-soft sm:px-5"
    >
      {isTyping && text.userTypes(name)}
    </p>
  );
}

/** Reads out what the user says while the talk is open, and nothing that stood there before. */
function Announcer({ talk, messages }: { talk: TalkDetail; messages: readonly TalkMessage[] }) {
  const text = useInboxWords();
  const [heardUntil] = useState(() => messages.at(-1)?.sequence ?? 0);
  const fresh = messages.filter(({ sender, sequence }) => sender === "user" && sequence > heardUntil);
  return (
    <div role="log" aria-live="polite" aria-label={text.newMessages} className="sr-only">
      {fresh.map((message) => (
        <p key={message.message_id}>
          {userNameOf(talk, text.anonymous)}: {message.text}
        </p>
      ))}
    </div>
  );
}

import type { TalkDetail, TalkMessage, TalkNote } from "@signalbox/contract";
import { Bot, CircleUserRound, Headset, Info, type LucideIcon, StickyNote } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { Button, classNames, Time } from "../../design/index.ts";
import { usePreferences } from "../../preferences/index.ts";
import { useAccess } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { Attachments } from "./attachments.tsx";
import { discard, type OutgoingMessage, retry, useOutgoing } from "./outbox.ts";
import { personName, userNameOf } from "./talks.ts";
import { byDay, itemsOf, type TalkItem, type TalkStep } from "./timeline-items.ts";
import { unsentOf } from "./unsent.ts";
import { useInboxWords } from "./words.ts";

export interface TalkTimelineProps {
  talk: TalkDetail;
  messages: readonly TalkMessage[];
  /** Undefined if there are none. */
  onOlder: (() => void) | undefined;
  isLoadingOlder: boolean;
}

/** Near enough to the end to follow what is said next. */
const AT_END_PX = 80;

export function TalkTimeline({ talk, messages, onOlder, isLoadingOlder }: TalkTimelineProps) {
  const text = useInboxWords();
  const { accountId } = useAccess();
  const outgoing = unsentOf(useOutgoing(talk.talk_id), {
    messages,
    notes: talk.notes,
    isMe: (author) => author !== null && author.account_id === (accountId ?? null),
  });
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const last = messages.at(-1)?.message_id;
  useEffect(() => {
    const box = scroller.current;
    if (box !== null && isAtEnd.current) box.scrollTop = box.scrollHeight;
  }, [talk.talk_id, last, talk.notes.length, outgoing.length]);
  // What opens below makes the box smaller, and would hide the message that is to be answered.
  useEffect(() => {
    const box = scroller.current;
    if (box === null) return undefined;
    const resized = new ResizeObserver(() => {
      if (isAtEnd.current) box.scrollTop = box.scrollHeight;
    });
    resized.observe(box);
    return () => resized.disconnect();
  }, []);
  const { dayOf, dayName } = useDays();
  const days = byDay(itemsOf(talk, messages), dayOf);
  const lastReply = messages.findLast(({ sender }) => sender === "human");
  const seen = (lastReply?.sequence ?? Infinity) <= talk.user_seen_sequence ? lastReply : undefined;
  return (
    <div
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label={text.messages}
      onScroll={({ currentTarget: box }) => {
        isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < AT_END_PX;
      }}
      className="min-h-0 flex-1 overflow-y-auto px-4 py-4 -outline-offset-2! sm:px-5"
    >
      {onOlder !== undefined && (
        <div className="pb-3 text-center">
          <Button size="sm" busy={isLoadingOlder} onClick={onOlder}>
            {text.showOlder}
          </Button>
        </div>
      )}
      {days.map((day) => (
        <section key={day.time} aria-label={dayName(day.time)}>
          <p className="my-3 flex items-center gap-3 text-xs text-ink-faint" aria-hidden>
            <span className="h-px flex-1 bg-line" />
            {dayName(day.time)}
            <span className="h-px flex-1 bg-line" />
          </p>
          <ol className="flex flex-col gap-3">
            {day.items.map((item) => (
              <Item key={keyOf(item)} item={item} talk={talk} seen={seen} />
            ))}
          </ol>
        </section>
      ))}
      {outgoing.length > 0 && (
        <ol aria-label={text.unsent} className="mt-3 flex flex-col gap-3">
          {outgoing.map((message) => (
            <Outgoing key={message.key} talkId={talk.talk_id} message={message} />
          ))}
        </ol>
      )}
    </div>
  );
}

const keyOf = (item: TalkItem) =>
  item.kind === "message" ? item.message.message_id : item.kind === "note" ? item.note.note_id : item.step;

const DAY_MS = 86_400_000;

function useDays() {
  const text = useInboxWords();
  const { language, zone } = usePreferences();
  const inZone = zone === "utc" ? { timeZone: "UTC" } : {};
  const locale = language === "en" ? "en-GB" : language;
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "full", ...inZone });
  const dayOf = (time: number) => format.format(time);
  const dayName = (time: number) => {
    const day = dayOf(time);
    if (day === dayOf(Date.now())) return text.today;
    return day === dayOf(Date.now() - DAY_MS) ? text.yesterday : day;
  };
  return { dayOf, dayName };
}

interface ItemProps {
  item: TalkItem;
  talk: TalkDetail;
  /** The last reply, once the user has seen it. */
  seen: TalkMessage | undefined;
}

function Item({ item, talk, seen }: ItemProps) {
  if (item.kind === "note") return <Note note={item.note} />;
  if (item.kind === "step") return <Step step={item.step} time={item.time} talk={talk} />;
  return item.message.sender === "system" ? (
    <Notice message={item.message} />
  ) : (
    <Message message={item.message} talk={talk} isSeen={item.message === seen} />
  );
}

type Voice = "user" | "ai" | "human";

const VOICES: Record<Voice, { icon: LucideIcon; badge: string; bubble: string }> = {
  user: { icon: CircleUserRound, badge: "bg-hover text-ink-soft", bubble: "border border-line bg-panel" },
  ai: { icon: Bot, badge: "bg-accent-soft text-accent", bubble: "border border-line bg-sunken" },
  human: { icon: Headset, badge: "bg-good-soft text-good", bubble: "bg-accent-soft" },
};

interface BubbleProps {
  voice: Voice;
  name: string;
  beside?: ReactNode;
  below?: ReactNode;
  children: ReactNode;
}

/** Users on the left, the agent and humans on the right: who speaks also stands in words. */
function Bubble({ voice, name, beside, below, children }: BubbleProps) {
  const { icon: Icon, badge, bubble } = VOICES[voice];
  const isOurs = voice !== "user";
  return (
    <li className={classNames("flex max-w-full gap-2.5", isOurs && "flex-row-reverse")}>
      <span
        className={classNames("mt-5 flex size-7 shrink-0 items-center justify-center rounded-full", badge)}
      >
        <Icon className="size-4" aria-hidden />
      </span>
      <div className={classNames("flex max-w-[85%] min-w-0 flex-col gap-0.5", isOurs && "items-end")}>
        <p className="flex items-center gap-2 text-xs text-ink-faint">
          <span className="truncate font-medium text-ink-soft">{name}</span>
          {beside}
        </p>
        <div className={classNames("max-w-full rounded-lg px-3 py-2 text-base text-ink", bubble)}>
          {children}
        </div>
        {below}
      </div>
    </li>
  );
}

/** As text, whatever it holds. */
function Words({ children }: { children: string }) {
  return <p className="wrap-anywhere whitespace-pre-wrap">{children}</p>;
}

interface MessageProps {
  message: TalkMessage;
  talk: TalkDetail;
  isSeen: boolean;
}

function Message({ message, talk, isSeen }: MessageProps) {
  const text = useInboxWords();
  const { accountId } = useAccess();
  const { sender, author, attachments } = message;
  const isOwn = sender === "human" && author !== null && author.account_id === (accountId ?? null);
  const name =
    author !== null
      ? personName(author, accountId, text)
      : sender === "user"
        ? userNameOf(talk, text.anonymous)
        : text.speakers[sender];
  return (
    <Bubble
      voice={sender === "system" ? "ai" : sender}
      name={name}
      beside={<Time at={message.time} as="minutes" />}
      below={
        isSeen || isOwn ? (
          <span className="text-2xs text-ink-faint">{isSeen ? text.seen : text.sent}</span>
        ) : undefined
      }
    >
      {message.text !== "" && <Words>{message.text}</Words>}
      <Attachments attachments={attachments} />
    </Bubble>
  );
}

function Notice({ message }: { message: TalkMessage }) {
  const text = useInboxWords();
  return (
    <li className="mx-auto max-w-md text-center text-xs wrap-anywhere text-ink-faint">
      <Info className="mr-1 inline size-3" aria-hidden />
      <span className="sr-only">{text.speakers.system}: </span>
      {message.text}
    </li>
  );
}

/** Across the whole width, dashed and with its name: nobody takes it for a reply. */
const NOTE = "rounded-lg border border-dashed border-warn bg-warn-soft px-3 py-2";

function Note({ note }: { note: TalkNote }) {
  const text = useInboxWords();
  const { accountId } = useAccess();
  return (
    <li className={NOTE}>
      <NoteHead>
        <span className="truncate">{personName(note.author, accountId, text)}</span>
        <Time at={note.time} as="minutes" className="ml-auto" />
      </NoteHead>
      <div className="text-base text-ink">
        <Words>{note.text}</Words>
      </div>
    </li>
  );
}

function NoteHead({ children }: { children?: ReactNode }) {
  const text = useInboxWords();
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-xs text-warn">
      <StickyNote className="size-3.5 shrink-0" aria-hidden />
      <span className="font-medium">{text.noteBadge}</span>
      {children}
    </p>
  );
}

function Step({ step, time, talk }: { step: TalkStep; time: number; talk: TalkDetail }) {
  const text = useInboxWords();
  const { conversations } = useScreenWords();
  const { accountId } = useAccess();
  const detail =
    step === "requested"
      ? conversations.triggers[talk.trigger]
      : step === "closed" && talk.reason !== null
        ? conversations.reasons[talk.reason]
        : step === "taken"
          ? personName(talk.holder, accountId, text.inSentence)
          : undefined;
  return (
    <li className="flex flex-wrap items-center justify-center gap-x-2 text-xs text-ink-soft">
      <Headset className="size-3.5 text-accent" aria-hidden />
      <span className="font-medium">{text.steps[step]}</span>
      {detail !== undefined && <span className="text-ink-faint">{detail}</span>}
      <Time at={time} as="minutes" className="text-ink-faint" />
    </li>
  );
}

function Outgoing({ talkId, message }: { talkId: string; message: OutgoingMessage }) {
  const text = useInboxWords();
  const isFailed = message.state === "failed";
  const state = (
    <p className={classNames("flex items-center gap-2 text-xs", isFailed ? "text-bad" : "text-ink-faint")}>
      {isFailed ? text.failed : text.sending}
      {isFailed && (
        <>
          <Button size="sm" onClick={() => retry(talkId, message)}>
            {text.retry}
          </Button>
          <Button size="sm" tone="quiet" onClick={() => discard(talkId, message.key)}>
            {text.discard}
          </Button>
        </>
      )}
    </p>
  );
  if (message.mode === "note")
    return (
      <li className={NOTE}>
        <NoteHead />
        <div className="text-base text-ink">
          <Words>{message.text}</Words>
        </div>
        {state}
      </li>
    );
  return (
    <Bubble voice="human" name={text.you} below={state}>
      {message.text !== "" && <Words>{message.text}</Words>}
      <Attachments attachments={message.files} />
    </Bubble>
  );
}

import type { TimelineItem } from "@signalbox/contract";
import { Link } from "@tanstack/react-router";
import {
  Bot,
  CircleUserRound,
  CornerDownRight,
  Headset,
  Info,
  type LucideIcon,
  ThumbsDown,
  ThumbsUp,
  UserRoundCheck,
  UserRoundX,
} from "lucide-react";
import { createContext, use } from "react";
import { Badge, classNames, duration, Time } from "../../design/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { DeliveryStateBadge } from "../deliveries/delivery-words.tsx";

type MessageItem = Extract<TimelineItem, { kind: "message" }>;
type HandoffItem = Extract<TimelineItem, { kind: "handoff" }>;
type RatingItem = Extract<TimelineItem, { kind: "rating" }>;

const OpensDeliveries = createContext(false);

export interface TimelineProps {
  items: readonly TimelineItem[];
  /** Whether deliveries are links: some roles see their state alone. */
  opensDeliveries: boolean;
}

export function Timeline({ items, opensDeliveries }: TimelineProps) {
  const byId = new Map(
    items.flatMap((item) => (item.kind === "message" ? [[item.message_id, item] as const] : [])),
  );
  return (
    <OpensDeliveries value={opensDeliveries}>
      <ol className="flex flex-col">
        {items.map((item) =>
          item.kind === "message" ? (
            <Message
              key={item.message_id}
              item={item}
              answers={item.in_reply_to === null ? undefined : byId.get(item.in_reply_to)}
            />
          ) : item.kind === "rating" ? (
            <RatingStep key={`rating-${item.handoff_id ?? ""}`} item={item} />
          ) : (
            <HandoffStep key={`${item.handoff.handoff_id}-${item.step}`} item={item} />
          ),
        )}
      </ol>
    </OpensDeliveries>
  );
}

const SPEAKERS: Record<MessageItem["sender"], { icon: LucideIcon; look: string }> = {
  user: { icon: CircleUserRound, look: "bg-hover text-ink-soft" },
  ai: { icon: Bot, look: "bg-accent-soft text-accent" },
  human: { icon: Headset, look: "bg-good-soft text-good" },
  system: { icon: Info, look: "bg-sunken text-ink-faint" },
};

function Message({ item, answers }: { item: MessageItem; answers: MessageItem | undefined }) {
  const words = useScreenWords();
  const text = words.conversations;
  const { icon: Icon, look } = SPEAKERS[item.sender];
  const branch = item.branch === null ? undefined : (text.branches[item.branch] ?? item.branch);
  return (
    <li className="flex gap-3 border-t border-line px-4 py-3.5 first:border-t-0">
      <span className={classNames("flex size-7 shrink-0 items-center justify-center rounded-full", look)}>
        <Icon className="size-4" aria-hidden />
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-xs text-ink-faint">
          <span className="text-sm font-medium text-ink">{text.senders[item.sender]}</span>
          {branch !== undefined && item.sender === "ai" && (
            <Badge tone={item.branch === "fallback" ? "warn" : "neutral"}>{branch}</Badge>
          )}
          <span className="tabular">#{item.sequence}</span>
          <Time at={item.time} as="clock" className="ml-auto" />
        </p>
        {answers !== undefined && (
          <p className="mt-0.5 flex items-center gap-1 truncate text-xs text-ink-faint">
            <CornerDownRight className="size-3 shrink-0" aria-hidden />
            <span className="sr-only">{text.answers}</span>
            <span className="truncate">{answers.text}</span>
          </p>
        )}
        <p
          className={classNames(
            "mt-1 text-base wrap-anywhere whitespace-pre-wrap",
            item.sender === "system" ? "text-ink-soft italic" : "text-ink",
          )}
        >
          {item.text}
        </p>
        {item.attachments.map((attachment) => (
          <p key={attachment.url} className="mt-1 text-xs text-ink-soft">
            {`${text.attachment}${words.common.colon}${attachment.name ?? attachment.type} `}
            <span className="font-mono wrap-anywhere text-ink-faint">{attachment.url}</span>
          </p>
        ))}
        <Listed label={text.suggestions} questions={item.suggestions} />
        <Listed label={text.sources} questions={item.sources.flatMap(({ question }) => question ?? [])} />
        {item.rating !== null && (
          <p className="mt-2 flex flex-wrap items-center gap-2 text-xs text-ink-soft">
            <Rated rating={item.rating} label={text.ratings.answer[item.rating.rating]} />
          </p>
        )}
        <Deliveries deliveries={item.deliveries} />
      </div>
    </li>
  );
}

function Listed({ label, questions }: { label: string; questions: string[] }) {
  const words = useScreenWords();
  if (questions.length === 0) return null;
  return (
    <p className="mt-1.5 text-xs wrap-anywhere text-ink-faint">
      {`${label}${words.common.colon}${questions.join(" · ")}`}
    </p>
  );
}

/** As text, whatever it holds: the user wrote the comment. */
function Rated({
  rating: { rating, comment },
  label,
}: {
  rating: { rating: "good" | "bad"; comment: string | null };
  label: string;
}) {
  return (
    <>
      <Badge tone={rating === "good" ? "good" : "bad"} icon={rating === "good" ? ThumbsUp : ThumbsDown}>
        {label}
      </Badge>
      {comment !== null && <span className="wrap-anywhere whitespace-pre-wrap">{comment}</span>}
    </>
  );
}

function RatingStep({ item }: { item: RatingItem }) {
  const text = useScreenWords().conversations;
  return (
    <li className="border-t border-line bg-sunken px-4 py-2.5 first:border-t-0">
      <p className="flex flex-wrap items-center gap-2 text-xs text-ink-soft">
        <Rated rating={item} label={text.ratings.conversation[item.rating]} />
        <Time at={item.time} as="clock" className="ml-auto text-ink-faint" />
      </p>
    </li>
  );
}

const DELIVERY =
  "inline-flex items-center gap-1.5 rounded-md border border-line bg-panel py-0.5 pr-0.5 pl-2 text-xs text-ink-soft";

function Deliveries({ deliveries }: { deliveries: MessageItem["deliveries"] }) {
  const words = useScreenWords();
  const areLinks = use(OpensDeliveries);
  if (deliveries.length === 0) return null;
  return (
    <ul className="mt-2 flex flex-wrap gap-1.5">
      {deliveries.map((delivery) => {
        const label = (
          <>
            {words.deliveries.events[delivery.event]}
            <DeliveryStateBadge delivery={delivery} />
          </>
        );
        return (
          <li key={delivery.delivery_id}>
            {areLinks ? (
              <Link
                to="/deliveries/$deliveryId"
                params={{ deliveryId: delivery.delivery_id }}
                className={classNames(DELIVERY, "hover:bg-hover")}
              >
                {label}
              </Link>
            ) : (
              <span className={DELIVERY}>{label}</span>
            )}
          </li>
        );
      })}
    </ul>
  );
}

const STEPS: Record<HandoffItem["step"], LucideIcon> = {
  requested: Headset,
  joined: UserRoundCheck,
  ended: UserRoundX,
};

/** A change of control, across the whole width: who speaks after it is another. */
function HandoffStep({ item }: { item: HandoffItem }) {
  const words = useScreenWords();
  const text = words.conversations;
  const { handoff, step } = item;
  const Icon = STEPS[step];
  const detail =
    step === "requested"
      ? text.triggers[handoff.trigger]
      : step === "ended" && handoff.reason !== null
        ? text.reasons[handoff.reason]
        : step === "joined"
          ? `${text.waited}${words.common.colon}${duration(item.time - handoff.request_time)}`
          : undefined;
  return (
    <li className="border-t border-line bg-sunken px-4 py-2.5 first:border-t-0">
      <p className="flex flex-wrap items-center gap-2 text-xs text-ink-soft">
        <Icon className="size-4 text-accent" aria-hidden />
        <span className="font-medium text-ink">{text.handoffSteps[step]}</span>
        {detail !== undefined && <span>{detail}</span>}
        <Time at={item.time} as="clock" className="ml-auto text-ink-faint" />
      </p>
      <Deliveries deliveries={item.deliveries} />
    </li>
  );
}

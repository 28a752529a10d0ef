import {
  type AgentResponseMessage,
  type CloseHandoff,
  DeliveryEvent,
  developerCalls,
  type EstablishHandoff,
  type HandoffChat,
  type OperatorEventBody,
  WEBHOOK_HEADERS,
} from "@signalbox/contract";

/** What arrived, before anything in it is believed. */
export interface IncomingCall {
  method: string;
  /** The path as far as the framework left it; its end tells the calls of a human service apart. */
  path: string;
  header(name: string): string | undefined;
  /** The very bytes that were sent. */
  body: Uint8Array;
}

export type CallKind = DeliveryEvent;

export type Bodies = {
  message: AgentResponseMessage;
  handoff_requested: EstablishHandoff;
  message_left: EstablishHandoff;
  user_message: HandoffChat;
  handoff_closed: CloseHandoff;
  operator_event: OperatorEventBody;
};

export interface CallContext {
  kind: CallKind;
  /** The same on every attempt; what is remembered against repeats. */
  webhookId: string;
  /** 1 on the first attempt. */
  attempt: number;
  /** The place in its lane; undefined when the sender gave none. */
  sequence: number | undefined;
  /** One conversation at one webhook, or one handoff: the numbers of a lane count from 1. */
  laneId: string;
  sender: "ai" | "human" | "system" | "user" | undefined;
  /** The agent's own conversation, also where the body names the handoff. */
  conversationId: string | undefined;
  /** An operator sent it again. */
  isReplay: boolean;
}

const SENDERS = ["ai", "human", "system", "user"] as const;

const SUFFIXES: [suffix: string, kind: CallKind][] = [
  [developerCalls.establishHandoff.suffix, "handoff_requested"],
  [developerCalls.sendHandoffChat.suffix, "user_message"],
  [developerCalls.closeHandoff.suffix, "handoff_closed"],
];

/** By its header, and where a sender gives none by the end of the path; undefined for what this version does not know. */
export function kindOf(call: IncomingCall): CallKind | undefined {
  const named = call.header(WEBHOOK_HEADERS.event);
  if (named !== undefined) return DeliveryEvent.options.find((kind) => kind === named);
  const path = (call.path.split("?", 1)[0] ?? "").replace(/(?<!\/)\/+$/, "");
  return SUFFIXES.find(([suffix]) => path.endsWith(suffix))?.[1] ?? "message";
}

type Fields = Record<string, unknown>;

/** Only what tells the bodies apart and what handlers cannot do without: a field more is no reason to refuse a message. */
const IS_BODY: Record<CallKind, (body: Fields) => boolean> = {
  message: (body) => isText(body["message_id"]) && Array.isArray(body["output"]),
  handoff_requested: (body) => Array.isArray(body["body"]),
  message_left: (body) => Array.isArray(body["body"]),
  user_message: (body) => isText(body["body"]),
  handoff_closed: (body) => isText(body["type"]),
  operator_event: (body) => isText(body["event"]),
};

export type ReadBody = { ok: true; body: Fields } | { ok: false; problem: string };

export function readBody(bytes: Uint8Array): ReadBody {
  try {
    const body: unknown = JSON.parse(
      new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes),
    );
    if (typeof body === "object" && body !== null && !Array.isArray(body))
      return { ok: true, body: body as Fields };
  } catch {
    // Told below.
  }
  return { ok: false, problem: "the body is not a JSON object" };
}

export function bodyProblem(kind: CallKind, body: Fields): string | undefined {
  const isAddressed = kind === "operator_event" || isText(body["conversation_id"]);
  return isAddressed && IS_BODY[kind](body) ? undefined : `the body is not a valid ${kind} event`;
}

export function contextOf(kind: CallKind, call: IncomingCall, body: Fields, webhookId: string): CallContext {
  const conversationId = isText(body["conversation_id"]) ? body["conversation_id"] : undefined;
  const ofHandoff = kind !== "message";
  return {
    kind,
    webhookId,
    attempt: wholeNumber(call.header(WEBHOOK_HEADERS.attempt)) ?? 1,
    sequence: wholeNumber(call.header(WEBHOOK_HEADERS.sequence)),
    laneId: `${ofHandoff ? "handoff" : "message"}:${conversationId ?? ""}`,
    sender: SENDERS.find((sender) => sender === call.header(WEBHOOK_HEADERS.sender)),
    conversationId: ofHandoff ? call.header(WEBHOOK_HEADERS.conversation) : conversationId,
    isReplay: call.header(WEBHOOK_HEADERS.replay) === "true",
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function wholeNumber(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

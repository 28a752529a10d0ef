import { type ChatEvent, type ChatEventName, chatEvents, type RequestOf } from "@signalbox/contract";
import { SignalboxError } from "./errors.ts";
import { backoffMs, isPassing, pause } from "./retrying.ts";
import { liveBytes, readJson, type Sender } from "./sending.ts";
import { readServerSentEvents, type ServerSentEvent } from "./server-sent-events.ts";

/** What is told of a conversation, with the names of the wire. Only a message has an id, to go on behind. */
export type ChatStreamEvent = {
  [Name in ChatEventName]: { event: Name; data: ChatEvent<Name> } & (Name extends "message"
    ? { id: string }
    : object);
}[ChatEventName];

export interface FollowOptions {
  /** The id of the last message you have: what came after it is told. Left out: everything. */
  lastEventId?: string;
  /** Ends it. */
  signal?: AbortSignal;
  /** The longest silence; the service says something every 20 seconds. */
  timeoutMs?: number;
}

const LONGEST_PAUSE_MS = 15_000;

export async function* followChat(
  sender: Sender,
  input: RequestOf<"followChat">,
  { lastEventId, ...call }: FollowOptions = {},
): AsyncGenerator<ChatStreamEvent, void, undefined> {
  let last = lastEventId;
  let wasOpen = false;
  let failures = 0;
  while (!call.signal?.aborted) {
    try {
      const opened = await sender.open("followChat", input, { ...call, lastEventId: last });
      wasOpen = true;
      for await (const told of readServerSentEvents(liveBytes(opened))) {
        failures = 0;
        const event = readEvent(told);
        if (event?.event === "message") last = event.id;
        if (event !== undefined) yield event;
      }
    } catch (error) {
      if (call.signal?.aborted) return;
      if (!wasOpen || (error instanceof SignalboxError && !isPassing(error.status))) throw error;
    }
    failures += 1;
    // Cut short only by the signal, and then this is over.
    await pause(Math.min(LONGEST_PAUSE_MS, backoffMs(failures, Math.random())), call.signal).catch(() => {});
  }
}

/** A newer service may tell more than this version knows. */
function readEvent({ event, id, data }: ServerSentEvent): ChatStreamEvent | undefined {
  if (!Object.hasOwn(chatEvents, event)) return undefined;
  // Safe because the service tells under each name what the contract says.
  return { event, data: readJson(data), ...(event === "message" && { id }) } as ChatStreamEvent;
}

import { failureNameOf, HEADERS, MessageStreamEvent as Events } from "@signalbox/contract";
import type {
  BlockingReply,
  MessageAccepted,
  MessageStreamEvent,
  StreamingMessageRequest,
} from "./bodies.generated.ts";
import { SignalboxConnectionError, SignalboxError } from "./errors.ts";
import type { CallOptions } from "./options.ts";
import { liveBytes, type OpenedStream, readJson, type Sender } from "./sending.ts";
import { readServerSentEvents } from "./server-sent-events.ts";

export type StreamMessageRequest = Omit<StreamingMessageRequest, "response_mode">;

/** The reply of `sendMessage` follows from the mode that was asked for. */
export type ReplyIn<Mode> = Mode extends "blocking"
  ? BlockingReply
  : Mode extends "webhook"
    ? MessageAccepted
    : never;

/** A stream is no single reply: the compiler names the method that gives one. */
export interface CallStreamMessageInstead {
  "call streamMessage for a streamed reply": never;
}
export type NotStreaming<Mode> = "streaming" extends Mode ? CallStreamMessageInstead : unknown;

export interface MessageStream extends AsyncIterable<MessageStreamEvent> {
  /** Resolves when the stream is open. */
  withResponse(): Promise<{ status: number; headers: Headers; requestId: string | undefined }>;
  /** Reads to the end and gives the whole text. Either this or iterating: a stream is read once. */
  text(): Promise<string>;
}

const END = 0;
const FIRST_FAILURE_CODE = 10_000;
/** From the contract itself, so that an event that is added there is told here. */
const KNOWN_CODES: ReadonlySet<unknown> = new Set(
  Events.options.flatMap(({ shape }) => ("value" in shape.code ? [shape.code.value] : [])),
);

export function createMessageStream(
  sender: Sender,
  input: StreamMessageRequest,
  options: CallOptions = {},
): MessageStream {
  const opening = sender.open("sendMessage", { ...input, response_mode: "streaming" }, options);
  // A caller that iterates gets the failure there, and need not handle it twice.
  opening.catch(() => undefined);
  let isTaken = false;

  async function* events(): AsyncGenerator<MessageStreamEvent, void, undefined> {
    if (isTaken)
      throw new TypeError("A stream can only be read once. Keep its events if you need them again");
    isTaken = true;
    const opened = await opening;
    try {
      for await (const { data } of readServerSentEvents(liveBytes(opened))) {
        const event = readEvent(data, opened);
        if (event.code === END) return;
        // A newer service may tell more than this version knows.
        if (KNOWN_CODES.has(event.code)) yield event as MessageStreamEvent;
      }
    } catch (cause) {
      options.signal?.throwIfAborted();
      if (cause instanceof SignalboxError) throw cause;
      throw new SignalboxConnectionError(
        "conversations.streamMessage: the connection closed during the stream",
        {
          attempts: 1,
          cause,
        },
      );
    }
    throw new SignalboxConnectionError("conversations.streamMessage: the stream ended early", {
      attempts: 1,
      cause: undefined,
    });
  }

  return {
    [Symbol.asyncIterator]: events,
    async withResponse() {
      const { status, headers } = (await opening).response;
      return { status, headers, requestId: headers.get(HEADERS.requestId) ?? undefined };
    },
    async text() {
      let text = "";
      for await (const event of events()) if (event.code === 3) text += event.data;
      return text;
    },
  };
}

/** A failure in mid-stream has a code of the catalogue, five digits, where an event has two. */
function readEvent(
  text: string,
  { response: { status, headers } }: OpenedStream,
): { code: number; message: string; data: unknown } {
  const { code, message, data } = (readJson(text) ?? {}) as Record<string, unknown>;
  const requestId = headers.get(HEADERS.requestId) ?? undefined;
  if (typeof code !== "number" || typeof message !== "string")
    throw new SignalboxError("conversations.streamMessage: the stream contains an invalid event", {
      status,
      requestId,
    });
  if (code < FIRST_FAILURE_CODE) return { code, message, data };
  throw new SignalboxError(message, { status, code, failureName: failureNameOf(code), requestId });
}

import { failureNameOf, HEADERS, type RequestOf, type Usage } from "@signalbox/contract";
import { SignalboxConnectionError, SignalboxError } from "./errors.ts";
import { type CallOptions, liveBytes, type OpenedStream, readJson, type Sender } from "./sending.ts";
import { readServerSentEvents } from "./server-sent-events.ts";

/** What a streamed reply is made of, with the names and numbers of the wire. */
export type MessageStreamEvent =
  | { code: 11; message: "MessageInfo"; data: { message_id: string } }
  | { code: 3; message: "Text"; data: string }
  | {
      code: 10;
      message: "FlowOutput";
      data: { content: unknown; branch: string; from_component_name: string }[];
    }
  | { code: 4; message: "Cost"; data: Partial<Usage["tokens"]> };

export interface MessageStream extends AsyncIterable<MessageStreamEvent> {
  /** Resolves when the stream is open. */
  withResponse(): Promise<{ status: number; headers: Headers; requestId: string | undefined }>;
  /** Reads to the end and gives the whole text. Either this or iterating: a stream is read once. */
  text(): Promise<string>;
}

export type StreamRequest = Omit<RequestOf<"sendMessage">, "response_mode">;

const END = 0;
const KNOWN_CODES: readonly number[] = [11, 3, 10, 4] satisfies MessageStreamEvent["code"][];

export function createMessageStream(
  sender: Sender,
  input: StreamRequest,
  options: CallOptions = {},
): MessageStream {
  const opening = sender.open("sendMessage", { ...input, response_mode: "streaming" }, options);
  // Whoever iterates hears of a failure there, and need not handle it twice.
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
        if (KNOWN_CODES.includes(event.code)) yield event as MessageStreamEvent;
      }
    } catch (cause) {
      options.signal?.throwIfAborted();
      if (cause instanceof SignalboxError) throw cause;
      throw new SignalboxConnectionError("sendMessage: the connection closed during the stream", {
        attempts: 1,
        cause,
      });
    }
    throw new SignalboxConnectionError("sendMessage: the stream ended early", {
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
    throw new SignalboxError("sendMessage: the stream contains an invalid event", {
      status,
      requestId,
    });
  if (code < 10_000) return { code, message, data };
  throw new SignalboxError(message, { status, code, failureName: failureNameOf(code), requestId });
}

import assert from "node:assert/strict";
import { MessageStreamEvent } from "@signalbox/contract";
import { JSON_TYPE } from "./wire.ts";

export type TimedEvent = MessageStreamEvent & { atMs: number };

export type StreamedReply = {
  status: number;
  contentType: string | null;
  /** Instead of a stream. */
  refusal(): Promise<{ code: number; message: string }>;
  /** Reads to the end; `onEvent` is told each as it comes. */
  events(onEvent?: (event: TimedEvent) => void): Promise<TimedEvent[]>;
  /** Reads until this one has come, and leaves. */
  leaveAfter(code: number): Promise<void>;
};

/** Sends a message in streaming mode, by hand: what comes, and when, frame by frame. */
export async function streamMessage(
  at: { baseUrl: string; apiKey: string; signal?: AbortSignal },
  conversationId: string,
  text: string,
  headers: Record<string, string> = {},
): Promise<StreamedReply> {
  const leaving = new AbortController();
  const begun = performance.now();
  const response = await fetch(`${at.baseUrl}/v2/conversation/message`, {
    method: "POST",
    headers: { ...JSON_TYPE, authorization: `Bearer ${at.apiKey}`, ...headers },
    body: JSON.stringify({
      conversation_id: conversationId,
      response_mode: "streaming",
      messages: [{ role: "user", content: text }],
    }),
    signal: AbortSignal.any([leaving.signal, ...(at.signal === undefined ? [] : [at.signal])]),
  });
  async function* frames(): AsyncGenerator<TimedEvent> {
    let unread = "";
    assert.ok(response.body);
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      unread += piece;
      const whole = unread.split("\n\n");
      unread = whole.pop() ?? "";
      for (const frame of whole) {
        assert.match(frame, /^data: /, "a frame holds one line of data");
        const event = MessageStreamEvent.parse(JSON.parse(frame.slice("data: ".length)));
        yield { ...event, atMs: performance.now() - begun };
      }
    }
    assert.equal(unread, "", "the last frame is whole");
  }
  return {
    status: response.status,
    contentType: response.headers.get("content-type"),
    refusal: async () => (await response.json()) as { code: number; message: string },
    events: (onEvent = () => undefined) =>
      Array.fromAsync(frames(), (event) => {
        onEvent(event);
        return event;
      }),
    async leaveAfter(code) {
      for await (const event of frames()) if (event.code === code) break;
      leaving.abort();
    },
  };
}

/** The text as it came piece by piece. */
export function textOf(events: MessageStreamEvent[]): string {
  return events.flatMap((event) => (event.code === 3 ? [String(event.data)] : [])).join("");
}

import assert from "node:assert/strict";
import { chatEvents } from "@signalbox/contract";
import type { ChatEvent, ChatEventName } from "@signalbox/contract";
import { chunksOf, readServerSentEvents } from "@signalbox/sdk/server-sent-events";
import { eventually } from "./processes.ts";

export type ToldEvent = {
  [Name in ChatEventName]: { event: Name; id: string | undefined; data: ChatEvent<Name> };
}[ChatEventName];

/** A user's browser that follows a conversation over one connection, and does not come back by itself. */
export type FollowedChat = {
  /** The events it got, in order. */
  told: ToldEvent[];
  /** The same in short: `ai: hello`, `control human`, `typing`, `typing Ann`, `ready`. */
  story(): string[];
  heard(line: string, timeoutMs?: number): Promise<void>;
  /** The id it would come back with. */
  lastEventId(): string | undefined;
  /** Resolves when the service ends the stream, or breaks it off. */
  ended: Promise<void>;
  leave(): Promise<void>;
};

export async function followChat(
  { baseUrl, chatToken }: { baseUrl: string; chatToken: string },
  conversationId: string,
  lastEventId?: string,
): Promise<FollowedChat> {
  const leaving = new AbortController();
  const response = await fetch(`${baseUrl}/chat/v1/conversations/${conversationId}/events`, {
    headers: {
      authorization: `Bearer ${chatToken}`,
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
    },
    signal: leaving.signal,
  });
  assert.equal(response.status, 200, "the stream is opened");
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  const told: ToldEvent[] = [];
  const ended = readInto(told, response.body ?? assert.fail("a stream has a body")).catch(() => undefined);
  const story = () => told.map(inShort);
  return {
    told,
    story,
    async heard(line, timeoutMs = 15_000) {
      await eventually(`the stream tells "${line}"`, async () => story().includes(line), {
        timeoutMs,
        everyMs: 10,
      }).catch((error: unknown) => {
        throw new Error(`told so far: ${story().join(" / ")}`, { cause: error });
      });
    },
    lastEventId: () => told.findLast(({ id }) => id !== undefined)?.id ?? lastEventId,
    ended,
    async leave() {
      leaving.abort();
      await ended;
    },
  };
}

async function readInto(told: ToldEvent[], body: ReadableStream<Uint8Array>): Promise<void> {
  for await (const { event, id, data } of readServerSentEvents(chunksOf(body))) {
    const name = event as ChatEventName;
    const known = chatEvents[name].parse(JSON.parse(data));
    // Safe because the schema is the one of its name. An id stands for all that follows; it is a message's own.
    told.push({ event: name, id: name === "message" ? id : undefined, data: known } as ToldEvent);
  }
}

function inShort(told: ToldEvent): string {
  if (told.event === "message") return `${told.data.sender}: ${told.data.text}`;
  if (told.event === "typing") return ["typing", told.data.name ?? []].flat().join(" ");
  if (told.event === "seen") return `seen ${told.data.sequence}`;
  return told.event === "control" ? `control ${told.data.holder}` : told.event;
}

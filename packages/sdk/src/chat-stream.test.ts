import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import type { ChatStreamEvent } from "./chat-stream.ts";
import { createClient } from "./client.ts";
import { SignalboxConnectionError } from "./errors.ts";

const chat = { conversation_id: "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21" };
const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

type Answering = (response: ServerResponse, count: number) => void;

async function serve(answer: Answering) {
  const asked: IncomingMessage["headers"][] = [];
  const server = createServer((request, response) => answer(response, asked.push(request.headers)));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { client: createClient({ baseUrl, chatToken: "t", retries: 0 }), asked };
}

function open(response: ServerResponse, ...frames: string[]): ServerResponse {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  response.write(frames.join(""));
  return response;
}

function refuse(response: ServerResponse, status: number, code: number): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ code, message: "no" }));
}

const said = (id: number) => `id: ${id}\nevent: message\ndata: {"text":"${id}"}\n\n`;
const ready = "event: ready\ndata: {}\n\n";

/** The first `count` events, in short. */
async function take(events: AsyncIterable<ChatStreamEvent>, count: number): Promise<string[]> {
  const told: string[] = [];
  for await (const event of events) {
    told.push(event.event === "message" ? `${event.id}: ${event.data.text}` : event.event);
    if (told.length === count) break;
  }
  return told;
}

describe("followChat", () => {
  it("followChat reconnects behind the last message after the stream breaks or ends", async () => {
    const { client, asked } = await serve((response, count) => {
      if (count === 1) setTimeout(() => response.destroy(), 50);
      if (count === 2) return refuse(response, 503, 50300);
      if (count === 3) return void response.destroy();
      open(response, ready, said(count));
      if (count === 4) response.end();
    });
    const told = await take(client.chats.follow(chat), 6);
    assert.deepEqual(told, ["ready", "1: 1", "ready", "4: 4", "ready", "5: 5"]);
    assert.deepEqual(
      asked.map((headers) => headers["last-event-id"]),
      [undefined, "1", "1", "1", "4"],
    );
    assert.equal(asked[0]?.accept, "text/event-stream");
  });

  it("followChat starts behind the message given as lastEventId", async () => {
    const { client, asked } = await serve((response) => void open(response, ready));
    await take(client.chats.follow(chat, { lastEventId: "7" }), 1);
    assert.equal(asked[0]?.["last-event-id"], "7");
  });

  it("followChat reconnects when the stream is silent for longer than its timeout", async () => {
    const { client } = await serve((response, count) => void open(response, said(count)));
    const told = await take(client.chats.follow(chat, { timeoutMs: 100 }), 2);
    assert.deepEqual(told, ["1: 1", "2: 2"]);
  });

  it("followChat throws the service's refusal, on the first connection and later", async () => {
    const foreign = await serve((response) => refuse(response, 403, 40358));
    await assert.rejects(take(foreign.client.chats.follow(chat), 1), { failureName: "foreignConversation" });
    const expired = await serve((response, count) =>
      count === 1 ? void open(response, ready).end() : refuse(response, 401, 40127),
    );
    await assert.rejects(take(expired.client.chats.follow(chat), 2), { failureName: "developerAuth" });
    assert.equal(expired.asked.length, 2);
  });

  it("followChat throws when the first connection fails or the answer is not Signalbox's", async () => {
    const nobody = await serve((response) => response.destroy());
    await assert.rejects(take(nobody.client.chats.follow(chat), 1), SignalboxConnectionError);
    const page = await serve((response) => response.end("<html>"));
    await assert.rejects(take(page.client.chats.follow(chat), 1), /HTTP 200 .* Check baseUrl/);
  });

  it("followChat leaves out events that this version does not know", async () => {
    const { client } = await serve(
      (response) => void open(response, "event: new\ndata: {}\n\n", "event: toString\ndata: {}\n\n", ready),
    );
    assert.deepEqual(await take(client.chats.follow(chat), 1), ["ready"]);
  });

  it("followChat ends with its AbortSignal while it connects, listens or waits", async () => {
    const behaviours: Answering[] = [
      () => undefined,
      (response) => void open(response, ready),
      (response) => void open(response, ready).end(),
    ];
    for (const behave of behaviours) {
      const { client } = await serve(behave);
      const stopping = new AbortController();
      setTimeout(() => stopping.abort(), 50);
      await take(client.chats.follow(chat, { signal: stopping.signal }), Number.POSITIVE_INFINITY);
      assert.deepEqual(await take(client.chats.follow(chat, { signal: stopping.signal }), 1), []);
    }
  });

  it("followChat closes the connection when its reader stops", async () => {
    const hungUp = Promise.withResolvers<void>();
    const { client } = await serve((response) => {
      open(response, ready).on("close", hungUp.resolve);
    });
    await take(client.chats.follow(chat), 1);
    await hungUp.promise;
  });
});

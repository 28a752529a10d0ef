import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

type Sender = "user" | "ai" | "human" | "system";
type Conversation = {
  id: string;
  log: { event: string; data: object }[];
  streams: Set<ServerResponse>;
  holder: "agent" | "waiting" | "human";
  clientIds: Set<string>;
};

/** Stands in for the live channel: what `/chat/v1` says on the wire, in memory, with a little agent behind it. */
export type ChatService = AsyncDisposable & {
  url: string;
  conversations: Map<string, Conversation>;
  /** The pages the widget is put on, by path. */
  pages: Map<string, string>;
  script: string;
  /** Calls answered with this status, as long as it is set. */
  failing: number | undefined;
  /** Answers stop in the middle until this is settled. */
  hold: Promise<void> | undefined;
  /** The token that is taken. */
  token: string;
  tokensGiven: number;
  say(sender: Sender, text: string): void;
  control(holder: Conversation["holder"]): void;
  /** Cuts every line. */
  cut(): void;
};

const WORDS_EVERY_MS = 10;
const HOLD_AT_WORD = 3;

export async function startChatService(): Promise<ChatService> {
  const conversations = new Map<string, Conversation>();
  let last: Conversation | undefined;
  let messages = 0;

  const tell = (conversation: Conversation, event: string, data: object) => {
    conversation.log.push({ event, data });
    for (const stream of conversation.streams) write(stream, event, data, conversation.log.length);
  };
  const message = (conversation: Conversation, sender: Sender, text: string, more: object = {}) =>
    tell(conversation, "message", {
      message_id: `m${(messages += 1)}`,
      sender,
      text,
      create_time: Date.now(),
      ...more,
    });

  async function answer(conversation: Conversation, question: string): Promise<void> {
    const reply = `You asked: ${question}. We open at nine, every day but Sunday.`;
    const message_id = `m${(messages += 1)}`;
    while (conversation.streams.size === 0) await sleep(WORDS_EVERY_MS);
    for (const [at, word] of reply.split(/(?<= )/).entries()) {
      if (at === HOLD_AT_WORD) await service.hold;
      for (const stream of conversation.streams) write(stream, "delta", { message_id, text: word });
      await sleep(WORDS_EVERY_MS);
    }
    tell(conversation, "message", { message_id, sender: "ai", text: reply, create_time: Date.now() });
  }

  const service = {
    conversations,
    pages: new Map<string, string>(),
    script: "",
    failing: undefined as number | undefined,
    hold: undefined as Promise<void> | undefined,
    token: "token-1",
    tokensGiven: 0,
  };

  async function chat(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const fail = (status: number) => response.writeHead(status).end();
    if (service.failing !== undefined) return void fail(service.failing);
    if (request.headers.authorization !== `Bearer ${service.token}`) return void fail(401);
    const [, id = "", action = ""] = path.split("/");
    const body = (await bodyOf(request)) as { text?: string; client_id?: string };
    const ok = (value: object) =>
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (id === "") {
      last = {
        id: `c${conversations.size + 1}`,
        log: [],
        streams: new Set(),
        holder: "agent",
        clientIds: new Set(),
      };
      conversations.set(last.id, last);
      return void ok({ conversation_id: last.id });
    }
    const conversation = conversations.get(id);
    if (conversation === undefined) return void fail(404);
    switch (action) {
      case "messages": {
        const { text = "", client_id = "" } = body;
        if (!conversation.clientIds.has(client_id)) {
          conversation.clientIds.add(client_id);
          message(conversation, "user", text, { client_id });
          if (conversation.holder === "agent") void answer(conversation, text);
        }
        return void ok({ message_id: client_id });
      }
      case "person":
        conversation.holder = "waiting";
        tell(conversation, "control", { holder: "waiting" });
        message(conversation, "system", "A person will be with you soon.");
        return void ok({});
      case "close":
        conversation.holder = "agent";
        tell(conversation, "control", { holder: "agent" });
        return void ok({});
      default: {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const after = Number(request.headers["last-event-id"] ?? 0);
        for (const [at, { event, data }] of conversation.log.entries())
          if (at >= after) write(response, event, data, at + 1);
        write(response, "ready", {});
        conversation.streams.add(response);
        response.on("close", () => conversation.streams.delete(response));
      }
    }
  }

  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "", "http://x").pathname;
    if (path.startsWith("/chat/v1/conversations")) {
      void chat(request, response, path.slice("/chat/v1/conversations".length));
    } else if (path === "/token") {
      service.tokensGiven += 1;
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ token: service.token }));
    } else if (path === "/signalbox-chat.js") {
      response.writeHead(200, { "content-type": "text/javascript" }).end(service.script);
    } else {
      const page = service.pages.get(path);
      response
        .writeHead(page === undefined ? 404 : 200, { "content-type": "text/html; charset=utf-8" })
        .end(page);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const current = () => {
    if (last === undefined) throw new Error("nobody has begun a conversation");
    return last;
  };
  return Object.assign(service, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    say: (sender: Sender, text: string) => message(current(), sender, text),
    control(holder: Conversation["holder"]) {
      current().holder = holder;
      tell(current(), "control", { holder });
    },
    cut() {
      for (const { streams } of conversations.values()) for (const stream of streams) stream.destroy();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** What is not kept has no number, and so is not told again. */
function write(stream: ServerResponse, event: string, data: object, id?: number): void {
  stream.write(`${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text === "" ? {} : JSON.parse(text);
}

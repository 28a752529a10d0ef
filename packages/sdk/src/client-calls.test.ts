import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { CONTRACT_VERSION } from "@signalbox/contract";
import { createClient } from "./client.ts";
import { SignalboxConnectionError, SignalboxError } from "./errors.ts";
import type { ResponseEvent } from "./options.ts";

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

type Answer = { status?: number; body: unknown; headers?: Record<string, string> };

async function serve(answer: (url: URL, count: number) => Answer | "close") {
  const seen: { url: URL; headers: IncomingMessage["headers"] }[] = [];
  const server = createServer((request, response: ServerResponse) => {
    const url = new URL(request.url ?? "", "http://service");
    seen.push({ url, headers: request.headers });
    const answered = answer(url, seen.length);
    if (answered === "close") return void request.socket.destroy();
    const { status = 200, body, headers = {} } = answered;
    response.writeHead(status, {
      "content-type": "application/json",
      "signalbox-request-id": "r1",
      ...headers,
    });
    response.end(JSON.stringify(body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const VERIFIED = { body: { entity_type: "agent", entity_id: "a" } };

describe("list call", () => {
  const PAGES: Record<string, object> = {
    first: { list: [{ agent_id: "a" }, { agent_id: "b" }], next_cursor: "second" },
    second: { list: [], next_cursor: "third" },
    third: { list: [{ agent_id: "c" }], next_cursor: null },
  };
  const byCursor = () => serve((url) => ({ body: PAGES[url.searchParams.get("cursor") ?? "first"] }));

  it("iterating a list by cursor gives the entries of all pages, also behind an empty one", async () => {
    const { baseUrl, seen } = await byCursor();
    const ids: string[] = [];
    for await (const { agent_id } of createClient({ baseUrl, operatorToken: "op" }).agents.list({ limit: 2 }))
      ids.push(agent_id);
    assert.deepEqual(ids, ["a", "b", "c"]);
    assert.deepEqual(
      seen.map(({ url }) => url.search),
      ["?limit=2", "?limit=2&cursor=second", "?limit=2&cursor=third"],
    );
  });

  it("awaiting a list gives its first page and asks for no other", async () => {
    const { baseUrl, seen } = await byCursor();
    const page = await createClient({ baseUrl, operatorToken: "op" }).agents.list();
    assert.equal(page.next_cursor, "second");
    assert.equal(seen.length, 1);
  });

  it("a loop over a list that is left early asks for no further page", async () => {
    const { baseUrl, seen } = await byCursor();
    for await (const { agent_id } of createClient({ baseUrl, operatorToken: "op" }).agents.list())
      if (agent_id === "b") break;
    assert.equal(seen.length, 1);
  });

  it("iterating a list by page number ends when all entries were given", async () => {
    const entries = ["a", "b", "c", "d", "e"].map((message_id) => ({ message_id }));
    const { baseUrl, seen } = await serve((url) => {
      const page = Number(url.searchParams.get("page") ?? 1);
      const size = Number(url.searchParams.get("page_size") ?? 2);
      return { body: { total: 5, conversation_content: entries.slice((page - 1) * size, page * size) } };
    });
    const { conversations } = createClient({ baseUrl, apiKey: "k" });
    const ids: string[] = [];
    for await (const { message_id } of conversations.listMessages({ conversation_id: "c" }))
      ids.push(message_id);
    assert.deepEqual(ids, ["a", "b", "c", "d", "e"]);
    assert.equal(seen.length, 3);
    const later: string[] = [];
    for await (const page of conversations
      .listMessages({ conversation_id: "c", page: 2, page_size: 3 })
      .pages())
      later.push(...page.conversation_content.map(({ message_id }) => message_id));
    assert.deepEqual(later, ["d", "e"]);
    assert.equal(seen.length, 4);
  });

  it("a page that is refused ends the loop over a list with its error", async () => {
    const { baseUrl } = await serve((url) =>
      url.searchParams.has("cursor")
        ? { status: 400, body: { code: 40000, message: "cursor is unknown" } }
        : { body: PAGES["first"] },
    );
    const ids: string[] = [];
    await assert.rejects(async () => {
      for await (const { agent_id } of createClient({ baseUrl, operatorToken: "op" }).agents.list())
        ids.push(agent_id);
    }, SignalboxError);
    assert.deepEqual(ids, ["a", "b"]);
  });
});

describe("options of a call", () => {
  it("a call's own retries and headers win over those of the client", async () => {
    const { baseUrl, seen } = await serve(() => "close");
    const client = createClient({
      baseUrl,
      apiKey: "k",
      retries: 0,
      headers: { "x-team": "web", "x-trace": "0" },
    });
    await assert.rejects(
      client.keys.verify({}, { retries: 1, headers: { "x-trace": "1" } }),
      (error) => error instanceof SignalboxConnectionError && error.attempts === 2,
    );
    assert.deepEqual(
      seen.map(({ headers }) => [headers["x-team"], headers["x-trace"]]),
      [
        ["web", "1"],
        ["web", "1"],
      ],
    );
  });

  it("every request names the SDK and its version, unless a header says otherwise", async () => {
    const { baseUrl, seen } = await serve(() => VERIFIED);
    await createClient({ baseUrl, apiKey: "k" }).keys.verify();
    await createClient({ baseUrl, apiKey: "k", headers: { "User-Agent": "shop/2" } }).keys.verify();
    assert.deepEqual(
      seen.map(({ headers }) => headers["user-agent"]),
      [`signalbox-sdk/${CONTRACT_VERSION}`, "shop/2"],
    );
  });

  it("with a session, a call for operators is sent without a token", async () => {
    const { baseUrl, seen } = await serve(() => ({ body: { list: [], next_cursor: null } }));
    await createClient({ baseUrl, session: true }).agents.list();
    assert.equal(seen[0]?.headers.authorization, undefined);
  });
});

describe("hooks of a client", () => {
  it("hooks see each attempt with its outcome, and may set headers", async () => {
    const { baseUrl, seen } = await serve((_, count) => (count === 1 ? "close" : VERIFIED));
    const before: string[] = [];
    const outcomes: ResponseEvent[] = [];
    const client = createClient({
      baseUrl,
      apiKey: "k",
      onRequest: ({ call, attempt, headers }) => {
        before.push(`${call} ${attempt}`);
        headers.set("traceparent", `00-${attempt}`);
      },
      onResponse: (event) => void outcomes.push(event),
    });
    await client.keys.verify();
    assert.deepEqual(before, ["keys.verify 1", "keys.verify 2"]);
    assert.deepEqual(
      seen.map(({ headers }) => headers["traceparent"]),
      ["00-1", "00-2"],
    );
    assert.deepEqual(
      outcomes.map(({ method, url, status, requestId, error }) => [
        method,
        url,
        status,
        requestId,
        error instanceof Error,
      ]),
      [
        ["GET", `${baseUrl}/v1/api-key/verify`, undefined, undefined, true],
        ["GET", `${baseUrl}/v1/api-key/verify`, 200, "r1", false],
      ],
    );
    assert.ok(outcomes.every(({ durationMs }) => durationMs > 0));
  });

  it("what a hook throws rejects the call as it is, and nothing is sent again", async () => {
    const { baseUrl, seen } = await serve(() => VERIFIED);
    const bug = new Error("a bug of the hook");
    const fail = () => {
      throw bug;
    };
    await assert.rejects(createClient({ baseUrl, apiKey: "k", onRequest: fail }).keys.verify(), bug);
    assert.equal(seen.length, 0);
    await assert.rejects(createClient({ baseUrl, apiKey: "k", onResponse: fail }).keys.verify(), bug);
    assert.equal(seen.length, 1);
  });
});

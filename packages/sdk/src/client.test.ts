import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { createClient } from "./client.ts";
import { isFailure, SignalboxConnectionError, SignalboxError } from "./errors.ts";

const id = "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21";

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

type Answering = (seen: Seen, response: ServerResponse, count: number) => void;

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: Answering): Promise<{ baseUrl: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const one = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body };
      seen.push(one);
      answer(one, response, seen.length);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "signalbox-request-id": "r1",
    ...headers,
  });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

const agent = {
  agent_id: id,
  name: "Shop",
  language: "en",
  fallback_text: null,
  default_knowledge_base_id: id,
  create_time: 1,
  delete_time: null,
};

describe("client call", () => {
  it("a call puts path parameters, query and body where the route expects them", async () => {
    const { baseUrl, seen } = await serve((_, response) => reply(response, 200, agent));
    const client = createClient({ baseUrl: `${baseUrl}/`, operatorToken: "op" });
    const updated = await client.agents.update({ agent_id: id, name: "Shop", fallback_text: null });
    assert.deepEqual(updated, agent);
    await client.keys.list({ agent_id: id, limit: 5 });
    await client.agents.list();
    assert.deepEqual(
      seen.map(({ method, url, body }) => `${method} ${url} ${body}`),
      [
        `PUT /admin/v1/agents/${id} {"name":"Shop","fallback_text":null}`,
        `GET /admin/v1/agents/${id}/keys?limit=5 `,
        "GET /admin/v1/agents ",
      ],
    );
  });

  it("a call authenticates with the credential of its route", async () => {
    const { baseUrl, seen } = await serve((_, response) =>
      reply(response, 200, { entity_type: "agent", entity_id: id }),
    );
    const client = createClient({ baseUrl, apiKey: "sbx_key", operatorToken: "op" });
    await client.keys.verify();
    await client.agents.get({ agent_id: id });
    await client.service.health();
    assert.deepEqual(
      seen.map(({ headers }) => headers.authorization),
      ["Bearer sbx_key", "Bearer op", undefined],
    );
    await assert.rejects(
      createClient({ baseUrl }).keys.verify(),
      /keys\.verify requires apiKey\. Pass it to createClient/,
    );
    assert.equal(seen.length, 3);
  });

  it("serviceHealth returns the probe's text", async () => {
    const { baseUrl } = await serve((_, response) => reply(response, 200, "service is normal"));
    assert.equal(await createClient({ baseUrl }).service.health(), "service is normal");
  });

  it("exportPairs gives the file as it is, and a refusal as a failure", async () => {
    const bytes = Buffer.from([0x50, 0x4b, 0x03, 0x04, 0xff, 0x00]);
    const { baseUrl, seen } = await serve((_, response, count) => {
      if (count === 2) return reply(response, 400, { code: 40000, message: "Bad parameter" });
      response.writeHead(200, { "content-type": "application/octet-stream" }).end(bytes);
    });
    const client = createClient({ baseUrl, operatorToken: "op", retries: 0 });
    const file = await client.pairs.export({ agent_id: id, format: "xlsx" });
    assert.deepEqual(Buffer.from(await file.arrayBuffer()), bytes);
    assert.match(seen[0]?.headers.accept ?? "", /^text\/csv, application\/vnd/);
    await assert.rejects(client.pairs.export({ agent_id: id }), { failureName: "badParameter" });
  });

  it("serviceHealth rejects with the probe's text when the service is not normal", async () => {
    const { baseUrl } = await serve((_, response) => {
      response.writeHead(503, { "content-type": "text/plain; charset=utf-8" }).end("not normal right now");
    });
    await assert.rejects(createClient({ baseUrl, retries: 0 }).service.health(), {
      status: 503,
      message: "not normal right now",
    });
  });

  it("withResponse gives status and headers of the answer", async () => {
    const { baseUrl } = await serve((_, response) =>
      reply(response, 200, { doc: [], failed: [] }, { "signalbox-import": "i1" }),
    );
    const client = createClient({ baseUrl, apiKey: "k" });
    const call = client.knowledge.add({
      purpose: "QA_TEXT",
      name: "n",
      qaList: [{ question: "q", answer: "a" }],
    });
    const answer = await call.withResponse();
    assert.deepEqual(answer.reply, { doc: [], failed: [] });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("signalbox-import"), "i1");
    assert.equal(answer.requestId, "r1");
  });

  it("an id that would change the path of a call is refused", async () => {
    const client = createClient({ baseUrl: "http://127.0.0.1:1", operatorToken: "op" });
    for (const agent_id of ["", ".", ".."])
      await assert.rejects(client.agents.delete({ agent_id }), /agent_id must be an id/);
  });
});

describe("failed call", () => {
  it("a failed call carries code, name, status and request id", async () => {
    const { baseUrl, seen } = await serve((_, response) =>
      reply(response, 403, { code: 40356, message: "Conversation does not exist" }),
    );
    const client = createClient({ baseUrl, apiKey: "k" });
    const call = client.conversations.sendMessage({
      conversation_id: id,
      response_mode: "webhook",
      messages: [],
    });
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof SignalboxError);
      assert.equal(error.code, 40356);
      assert.equal(error.failureName, "unknownConversation");
      assert.equal(error.status, 403);
      assert.equal(error.requestId, "r1");
      assert.equal(error.message, "Conversation does not exist");
      assert.ok(isFailure(error, "unknownConversation"));
      error.code satisfies 40356;
      assert.ok(!isFailure(error, "stateConflict"));
      return true;
    });
    assert.equal(seen.length, 1);
  });

  it("a failed call rejects once when withResponse is used", async () => {
    const { baseUrl } = await serve((_, response) =>
      reply(response, 500, { code: 50000, message: "Internal system error" }),
    );
    const call = createClient({ baseUrl, apiKey: "k" }).keys.verify();
    await assert.rejects(call.withResponse(), SignalboxError);
  });

  it("a failure answered by a proxy is told apart from one of the service", async () => {
    const { baseUrl } = await serve((_, response) => reply(response, 404, "<html>"));
    await assert.rejects(createClient({ baseUrl, apiKey: "k" }).keys.verify(), (error) => {
      assert.ok(error instanceof SignalboxError);
      assert.equal(error.code, undefined);
      assert.match(error.message, /HTTP 404 .* Check baseUrl/);
      return true;
    });
  });

  it("a redirect is a failure and is not followed", async () => {
    const { baseUrl, seen } = await serve((_, response) =>
      reply(response, 302, "", { location: "/elsewhere" }),
    );
    await assert.rejects(createClient({ baseUrl, apiKey: "k" }).keys.verify(), SignalboxError);
    assert.equal(seen.length, 1);
  });
});

describe("retries", () => {
  const conversation = { conversation_id: id };

  it("all attempts of one call share an Idempotency-Key, and each call has its own", async () => {
    const { baseUrl, seen } = await serve((_, response, count) => {
      if (count === 1) response.destroy();
      else if (count === 2) reply(response, 503, { code: 50300, message: "Not accepting requests" });
      else reply(response, 200, conversation);
    });
    const client = createClient({ baseUrl, apiKey: "k" });
    assert.deepEqual(await client.conversations.create({ user_id: "u" }), conversation);
    await client.conversations.create({ user_id: "u" });
    await client.conversations.create({ user_id: "u" }, { idempotencyKey: "mine" });
    const keys = seen.map(({ headers }) => headers["idempotency-key"]);
    assert.equal(seen.length, 5);
    assert.equal(new Set(keys.slice(0, 3)).size, 1);
    assert.notEqual(keys[3], keys[0]);
    assert.equal(keys[4], "mine");
  });

  it("a call that needs no Idempotency-Key sends none", async () => {
    const { baseUrl, seen } = await serve((_, response) => reply(response, 200, { code: 0, message: "OK" }));
    await createClient({ baseUrl, operatorToken: "op" }).agents.delete({ agent_id: id });
    assert.equal(seen[0]?.headers["idempotency-key"], undefined);
  });

  it("a call is retried twice, then rejects with the last failure", async () => {
    const { baseUrl, seen } = await serve((_, response) => reply(response, 504, "late"));
    await assert.rejects(createClient({ baseUrl, apiKey: "k" }).keys.verify(), {
      name: "SignalboxError",
      status: 504,
    });
    assert.equal(seen.length, 3);
  });

  it("a call is not retried after a 500, nor after a 429 without Retry-After", async () => {
    for (const [status, code] of [
      [500, 50000],
      [429, 42900],
    ] as const) {
      const { baseUrl, seen } = await serve((_, response) =>
        reply(response, status, { code, message: "no" }),
      );
      await assert.rejects(createClient({ baseUrl, apiKey: "k" }).keys.verify(), { code });
      assert.equal(seen.length, 1);
    }
  });

  it("a retry waits as long as the Retry-After of a 429", async () => {
    const { baseUrl, seen } = await serve((_, response, count) =>
      count === 1
        ? reply(response, 429, { code: 42900, message: "Too many requests" }, { "retry-after": "1" })
        : reply(response, 200, conversation),
    );
    const began = performance.now();
    await createClient({ baseUrl, apiKey: "k" }).conversations.create({ user_id: "u" });
    assert.ok(performance.now() - began >= 990);
    assert.equal(seen.length, 2);
  });

  it("a call without an answer rejects with a connection error after its retries", async () => {
    const { baseUrl, seen } = await serve((_, response) => response.destroy());
    await assert.rejects(createClient({ baseUrl, apiKey: "k", retries: 1 }).keys.verify(), (error) => {
      assert.ok(error instanceof SignalboxConnectionError);
      assert.equal(error.attempts, 2);
      assert.equal(error.message, "keys.verify: connection failed, tried 2 times");
      return true;
    });
    assert.equal(seen.length, 2);
  });

  it("a call rejects when its timeout runs out", async () => {
    const { baseUrl } = await serve(() => undefined);
    const client = createClient({ baseUrl, apiKey: "k", retries: 0 });
    await assert.rejects(
      client.keys.verify({}, { timeoutMs: 50 }),
      /keys\.verify: request timed out, tried once/,
    );
  });

  it("a call moves to the next base URL when a node is down, and stays there", async () => {
    const dead = await serve((_, response) => response.destroy());
    const alive = await serve((_, response) => reply(response, 200, conversation));
    const client = createClient({ baseUrls: [dead.baseUrl, alive.baseUrl], apiKey: "k" });
    await Promise.all([1, 2, 3].map(() => client.conversations.create({ user_id: "u" })));
    await client.conversations.create({ user_id: "u" });
    assert.equal(dead.seen.length, 3);
    assert.equal(alive.seen.length, 4);
  });

  it("an aborted call rejects with the caller's own reason", async () => {
    const { baseUrl, seen } = await serve((_, response) => reply(response, 503, {}, { "retry-after": "20" }));
    const client = createClient({ baseUrl, apiKey: "k" });
    const reason = new Error("changed my mind");
    const giveUp = new AbortController();
    const call = client.keys.verify({}, { signal: giveUp.signal });
    setTimeout(() => giveUp.abort(reason), 100);
    await assert.rejects(call, reason);
    await assert.rejects(client.keys.verify({}, { signal: giveUp.signal }), reason);
    assert.equal(seen.length, 1);
  });
});

describe("createClient", () => {
  it("createClient refuses a base URL that is not absolute", () => {
    assert.throws(() => createClient({}), /needs a baseUrl/);
    assert.throws(() => createClient({ baseUrl: "example.com" }), /must start with http/);
  });

  it("a call with a wrong or missing field does not compile", () => {
    const client = createClient({ baseUrl: "http://127.0.0.1:1" });
    const uncompiled = () => [
      // @ts-expect-error anonymous_ids is missing
      client.users.bind({ user_id: "u" }),
      // @ts-expect-error purpose does not exist
      client.knowledge.add({ purpose: "QA", name: "n", qaList: [] }),
      // @ts-expect-error an input is needed
      client.agents.get(),
    ];
    assert.equal(typeof uncompiled, "function");
  });
});

import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { openBed, type Bed } from "../support/bed.ts";

// A developer who has read the specification and nothing else: no SDK, no contract, no header beyond those of section 5.
// The linter keeps every other import out of this file. Only what an operator sets up is outside of the specification.

type Json = Record<string, unknown>;
type Received = { path: string; authorization: string | undefined; body: Json };
type Documents = { doc: { doc_id: string; doc_name: string }[]; failed: string[] };

const USERNAME = "shop";
const SECRET = "its secret";
const PAIRS = [
  { question: "When do you open?", answer: "At nine." },
  { question: "Where are you?", answer: "In Market Street." },
];
const USAGE_TOKENS = [
  "completion_tokens",
  "completion_tokens_details",
  "prompt_tokens",
  "prompt_tokens_details",
];
const CREDITS = ["audio_input_credits", "audio_output_credits", "text_input_credits", "text_output_credits"];

/** Section 4.3: a test is answered with 200 and is no business message. */
async function startDeveloper() {
  const business: Received[] = [];
  const tests: Received[] = [];
  const files = new Map<string, string>();
  const watchers = new Set<() => void>();
  const receive = async (incoming: IncomingMessage, response: ServerResponse) => {
    const path = incoming.url ?? "";
    if (incoming.method === "GET") {
      const file = files.get(path);
      return void response.writeHead(file === undefined ? 404 : 200).end(file);
    }
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    assert.equal(incoming.headers["content-type"], "application/json");
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Json;
    (body["istest"] === true ? tests : business).push({
      path,
      authorization: incoming.headers.authorization,
      body,
    });
    const success = path === "/messages" ? { code: 200, msg: "success" } : { code: 0, message: "OK" };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(success));
    for (const look of watchers) look();
  };
  const server = createServer((incoming, response) => {
    receive(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    tests,
    business,
    serve(name: string, content: string): string {
      files.set(`/files/${name}`, content);
      return `${url}/files/${name}`;
    },
    /** The first that fits, also one that came already. */
    got(path: string, fits: (body: Json) => boolean): Promise<Received> {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = business.find((one) => one.path === path && fits(one.body));
          if (found === undefined) return;
          clearTimeout(timer);
          watchers.delete(look);
          resolve(found);
        };
        const timer = setTimeout(() => {
          watchers.delete(look);
          reject(new Error(`no such call of ${path} in 20 s; there were: ${JSON.stringify(business)}`));
        }, 20_000);
        watchers.add(look);
        look();
      });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Developer = Awaited<ReturnType<typeof startDeveloper>>;

describe("a client that knows only the specification", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let developer: Developer;
  before(async () => {
    developer = open.use(await startDeveloper());
    bed = open.use(await openBed({ apis: 1, workers: 1 }));
  });
  after(() => open.disposeAsync());

  /** Sections 4 and 5.1: JSON in and out, and a Bearer key where one is needed. */
  async function call(method: string, path: string, key?: string, body?: unknown) {
    const response = await fetch(`${bed.baseUrl}${path}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    assert.match(response.headers.get("content-type") ?? "", /^application\/json\b/, path);
    return { status: response.status, reply: (await response.json()) as Json };
  }

  async function ok<Reply = Json>(method: string, path: string, key: string, body?: unknown): Promise<Reply> {
    const { status, reply } = await call(method, path, key, body);
    assert.equal(status, 200, JSON.stringify(reply));
    return reply as Reply;
  }

  /** Section 7: a failure is an integer and a text, and nothing else. */
  async function failed(method: string, path: string, key?: string, body?: unknown) {
    const { status, reply } = await call(method, path, key, body);
    assert.notEqual(status, 200, path);
    assert.deepEqual(Object.keys(reply).toSorted(), ["code", "message"]);
    assert.ok(Number.isInteger(reply["code"]) && typeof reply["message"] === "string");
    return [reply["code"], String(reply["message"]).split(":")[0]];
  }

  /** What an operator does in the console, once: an agent, its key, its webhook and its human service. */
  async function setUpAgent(): Promise<{ agentId: string; key: string }> {
    const agents = "/admin/v1/agents";
    const { agent_id } = await ok("POST", agents, bed.operatorToken, { name: "Shop" });
    const agentId = String(agent_id);
    const { api_key } = await ok("POST", `${agents}/${agentId}/keys`, bed.operatorToken, { name: "shop" });
    await ok("PUT", `${agents}/${agentId}/message-webhook`, bed.operatorToken, {
      url: `${developer.url}/messages`,
      username: USERNAME,
      secret: SECRET,
    });
    await ok("POST", `${agents}/${agentId}/human-services`, bed.operatorToken, {
      name: "Front desk",
      url: `${developer.url}/desk`,
      username: USERNAME,
    });
    return { agentId, key: String(api_key) };
  }

  /** Section 2.5: every field, of its type. */
  function isMessage(body: Json, wanted: { conversation_id: string; text: string }): void {
    const { output, usage, ...rest } = body as { output: Json[]; usage: Record<string, Json> };
    assert.deepEqual(Object.keys(rest).toSorted(), [
      "anonymous_id",
      "conversation_id",
      "create_time",
      "message_id",
      "user_id",
    ]);
    const { user_id, anonymous_id, conversation_id, create_time } = rest as Json;
    assert.deepEqual([user_id, anonymous_id, conversation_id], ["user-1", null, wanted.conversation_id]);
    assert.ok(Number.isInteger(create_time));
    assert.equal(output.length, 1);
    assert.deepEqual(Object.keys(output[0] ?? {}).toSorted(), [
      "content",
      "from_component_branch",
      "from_component_name",
    ]);
    assert.deepEqual(output[0]?.["content"], { text: wanted.text, audio: [] });
    assert.deepEqual(Object.keys(usage["tokens"] ?? {}).toSorted(), [...USAGE_TOKENS, "total_tokens"]);
    assert.deepEqual(Object.keys(usage["credits"] ?? {}).toSorted(), [...CREDITS, "total_credits"]);
  }

  const textOf = (body: Json) =>
    (body["output"] as { content: { text: string } }[] | undefined)?.[0]?.content.text;

  /** Section 4.5: the message with this text, with the credentials of section 5.3. */
  async function message(conversation_id: string, text: string): Promise<Json> {
    const { authorization, body } = await developer.got(
      "/messages",
      (one) => one["conversation_id"] === conversation_id && textOf(one) === text,
    );
    assert.equal(authorization, `Basic ${Buffer.from(`${USERNAME}:${SECRET}`).toString("base64")}`);
    isMessage(body, { conversation_id, text });
    return body;
  }

  it("4.1 and 4.2: a client of the specification alone adds and updates text, QA files and converted documents", async () => {
    const { key } = await setUpAgent();
    const add = (body: object) => ok<Documents>("POST", "/v1/bot/doc/qa/add", key, body);
    const update = (body: object) => ok<Documents>("PUT", "/v1/bot/doc/qa/update", key, body);
    const isDone = (
      { doc, failed: names, ...rest }: Documents,
      wanted: string[],
      failures: string[] = [],
    ) => {
      assert.deepEqual([doc.map(({ doc_name }) => doc_name), names, rest], [wanted, failures, {}]);
      return doc.map(({ doc_id }) => doc_id);
    };
    const [text] = isDone(await add({ purpose: "QA_TEXT", name: "Shop", qaList: PAIRS }), ["Shop"]);

    const csv = developer.serve("faq.csv", "question,answer\nDo you deliver?,Yes.\n");
    const page = developer.serve("guide.md", "# How do I return goods?\n\nSend them back within 30 days.\n");
    const common = { header_row: 1, chunk_token: 600, splitter: "\n" };
    const files = [
      { file_url: csv, file_name: "faq.csv" },
      { file_url: `${developer.url}/files/none.csv`, file_name: "none.csv" },
    ];
    const added = await add({ purpose: "QA_FILE", files, ...common });
    const [file] = isDone(added, ["faq.csv"], ["none.csv"]);
    const guide = { source_url: page, file_name: "guide.md" };
    const [converted] = isDone(await add({ purpose: "FILE_2_QA", files: [guide], ...common }), ["guide.md"]);

    isDone(await update({ doc_id: text, qaList: [PAIRS[0]] }), ["Shop"]);
    const changed = developer.serve("changed.csv", 'question,answer\nDo you deliver?,"Yes, on Fridays."\n');
    const updates = [
      { doc_id: file, source_url: changed, file_name: "changed.csv" },
      { doc_id: converted, ...guide },
      { doc_id: "65f0c9a1b2c3d4e5f6a7b8c9", source_url: changed, file_name: "unknown.csv" },
    ];
    const { doc, failed: names } = await update({ files: updates, ...common });
    assert.deepEqual(new Set(doc.map(({ doc_id }) => doc_id)), new Set([file, converted]));
    assert.deepEqual(names, ["unknown.csv"]);
  });

  it("4.3 and 4.4: a client of the specification alone checks its webhooks and the service", async () => {
    const { agentId, key } = await setUpAgent();
    const { results } = await ok<{ results: Json[] }>("POST", "/v1/webhook/check", key);
    assert.deepEqual(
      results.map(({ latency_ms, component_id, ...result }) => {
        assert.ok(Number.isInteger(latency_ms));
        return { ...result, hasComponent: typeof component_id === "string" };
      }),
      [
        {
          type: "message",
          component_name: null,
          webhook_url: `${developer.url}/messages`,
          hasComponent: false,
        },
        {
          type: "human_service",
          component_name: "Front desk",
          webhook_url: `${developer.url}/desk/conversation/establish`,
          hasComponent: true,
        },
      ].map((result) => ({ ...result, reachable: true, http_status: 200 })),
    );
    const tested = developer.tests.filter(
      ({ path, body }) => path === "/messages" || body["bot_id"] === agentId,
    );
    assert.ok(tested.length >= 2);
    assert.ok(developer.tests.some(({ path }) => path === "/desk/chat"));
    const health = await fetch(`${bed.baseUrl}/v1/webhook/service/health`);
    assert.deepEqual([health.status, await health.text()], [200, "service is normal"]);
    assert.match(health.headers.get("content-type") ?? "", /^text\/plain\b/);
  });

  it("4.5 to 4.10: a client of the specification alone answers, hands over, replies and closes from both sides", async () => {
    const { agentId, key } = await setUpAgent();
    await ok("POST", "/v1/bot/doc/qa/add", key, { purpose: "QA_TEXT", name: "Shop", qaList: PAIRS });
    const opened = await ok("POST", "/v1/conversation", key, { user_id: "user-1", email: "ann@example.com" });
    const conversation_id = String(opened["conversation_id"]);
    const say = (content: string) =>
      ok("POST", "/v2/conversation/message", key, {
        conversation_id,
        response_mode: "webhook",
        messages: [{ role: "user", content }],
      });
    const desk = async (path: string, fits: (body: Json) => boolean) => {
      const { authorization, body } = await developer.got(`/desk${path}`, fits);
      assert.equal(authorization, `Bearer ${USERNAME}`);
      assert.ok(Number.isInteger(body["timestamp"]));
      return body;
    };
    const establish = async (earlier: unknown[]) => {
      const body = await desk(
        "/conversation/establish",
        (one) => one["bot_id"] === agentId && !earlier.includes(one["conversation_id"]),
      );
      const { email, user_info, body: items, timestamp: _, ...rest } = body;
      assert.deepEqual(Object.keys(rest).toSorted(), ["bot_id", "conversation_id"]);
      assert.deepEqual(user_info, { phone: null, email, user_id: "user-1", anonymous_id: null });
      assert.equal(email, "ann@example.com");
      return { id: String(body["conversation_id"]), items };
    };
    const human = (path: string, id: string, body?: string) =>
      ok("POST", path, key, {
        conversation_id: id,
        timestamp: Date.now(),
        ...(body !== undefined && { body }),
      });

    await say("When do you open?");
    const first = await message(conversation_id, "At nine.");
    await say("I want to talk to a human");
    const one = await establish([]);
    assert.deepEqual(one.items, [
      { text: "When do you open?", message_type: "QUESTION" },
      { text: "At nine.", message_type: "ANSWER" },
      { text: "I want to talk to a human", message_type: "QUESTION" },
    ]);
    assert.deepEqual(await human("/v1/human/message/receive", one.id, "I am Ann."), {
      code: 0,
      message: "OK",
    });
    const second = await message(conversation_id, "I am Ann.");
    assert.notEqual(second["message_id"], first["message_id"]);
    await say("Is the blue one in stock?");
    const chat = await desk("/chat", (body) => body["conversation_id"] === one.id);
    assert.deepEqual(Object.keys(chat).toSorted(), ["body", "conversation_id", "timestamp"]);
    assert.equal(chat["body"], "Is the blue one in stock?");
    const closed = await human("/v1/human/close", one.id);
    assert.deepEqual(
      [Object.keys(closed).toSorted(), closed["conversation_id"]],
      [["conversation_id", "timestamp"], one.id],
    );
    assert.deepEqual(
      await failed("POST", "/v1/human/message/receive", key, {
        conversation_id: one.id,
        timestamp: Date.now(),
        body: "too late",
      }),
      [40900, "State conflict"],
    );

    // The second time, by a client that takes the conversation_id of 4.5 for that of 4.6; and the user closes.
    await say("Where are you?");
    await message(conversation_id, "In Market Street.");
    await say("I want to talk to a human");
    const two = await establish([one.id]);
    await human("/v1/human/message/receive", conversation_id, "I am Bob.");
    await message(conversation_id, "I am Bob.");
    await ok("POST", "/v1/conversation/handoff/close", key, { conversation_id });
    const close = await desk("/conversation/close", (body) => body["conversation_id"] === two.id);
    assert.deepEqual(
      { ...close, timestamp: 0 },
      { conversation_id: two.id, timestamp: 0, type: "USER_CLOSED" },
    );
    assert.deepEqual(
      developer.business
        .filter(({ path, body }) => path === "/desk/conversation/close" && body["conversation_id"] === one.id)
        .map(({ body }) => body),
      [],
    );
  });

  it("7: a client of the specification alone meets the failures it lists, with their codes and messages", async () => {
    const { agentId, key } = await setUpAgent();
    const add = "/v1/bot/doc/qa/add";
    const update = "/v1/bot/doc/qa/update";
    const parameter = [40000, "Parameter error"];
    const files = Array.from({ length: 21 }, (_, at) => ({
      file_url: `${developer.url}/files/${at}.csv`,
      file_name: `${at}.csv`,
    }));
    for (const body of [{}, { purpose: "QA_TEXT", name: "Shop" }, { purpose: "QA_FILE", files }, "{"])
      assert.deepEqual(await failed("POST", add, key, body), parameter, JSON.stringify(body).slice(0, 80));
    for (const body of [{}, { qaList: PAIRS }, { doc_id: agentId, qaList: PAIRS, files: files.slice(0, 1) }])
      assert.deepEqual(await failed("PUT", update, key, body), parameter, JSON.stringify(body).slice(0, 80));
    assert.deepEqual(await failed("POST", "/v1/webhook/check", key, "{"), parameter);

    const refused = [40127, "Developer authentication failed"];
    const ended = [40378, "Agent deleted"];
    const body = { conversation_id: agentId, timestamp: Date.now(), body: "Hello" };
    const calls = [
      ["POST", add, { purpose: "QA_TEXT", name: "Shop", qaList: PAIRS }],
      ["PUT", update, { doc_id: agentId, qaList: PAIRS }],
      ["POST", "/v1/webhook/check", undefined],
      ["POST", "/v1/human/message/receive", body],
      ["POST", "/v1/human/close", body],
    ] as const;
    for (const [method, path, sent] of calls)
      for (const wrong of [undefined, "no-key"])
        assert.deepEqual(await failed(method, path, wrong, sent), refused, path);
    await ok("DELETE", `/admin/v1/agents/${agentId}`, bed.operatorToken);
    // A node may take five seconds to hear of it.
    for (const deadline = Date.now() + 15_000; Date.now() < deadline;)
      if ((await call("PUT", update, key, {})).reply["code"] === ended[0]) break;
    for (const [method, path, sent] of calls)
      assert.deepEqual(await failed(method, path, key, sent), ended, path);
  });
});

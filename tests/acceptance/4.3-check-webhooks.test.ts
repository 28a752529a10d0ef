import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  AgentResponseMessage,
  EstablishHandoff,
  HandoffChat,
  type WebhookCheckResult,
} from "@signalbox/contract";
import { createClient, SignalboxError } from "@signalbox/sdk";
import type { Client } from "@signalbox/sdk";
import { Webhook } from "standardwebhooks";
import { openBed } from "@signalbox/tests/support/bed.ts";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import { freePort } from "@signalbox/tests/support/processes.ts";
import { startReceiver } from "@signalbox/tests/support/receiver.ts";
import type { ReceivedRequest } from "@signalbox/tests/support/receiver.ts";
import { atMost } from "../support/machine.ts";

const STORED = ["delivery", "attempt", "lane", "conversation", "message", "turn", "destination", "replay"];

describe("4.3 check of an agent's webhooks", () => {
  let bed: Bed;
  let operator: Client;
  before(async () => {
    bed = await openBed({ apis: 1, workers: 1 });
    operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken, retries: 0 });
  });
  after(() => bed[Symbol.asyncDispose]());

  /** Each test has an agent of its own: the limit is counted for each key. */
  async function newAgent(): Promise<{ agent_id: string; apiKey: string; client: Client }> {
    const { agent_id } = await operator.agents.create({ name: "Agent" });
    const { api_key } = await operator.keys.create({ agent_id, name: "test" });
    return { agent_id, apiKey: api_key, client: clientWith(api_key) };
  }

  function clientWith(apiKey: string): Client {
    return createClient({ baseUrl: bed.baseUrl, apiKey, retries: 0 });
  }

  /** A developer of this test alone. */
  async function newReceiver(context: { after(end: () => Promise<void>): void }) {
    const receiver = await startReceiver();
    context.after(() => receiver.close());
    return receiver;
  }

  const pathOf = ({ path }: ReceivedRequest) => path;

  it("4.3 sends the message webhook a 2.5 message marked as a test, with credentials and signature", async (context) => {
    const receiver = await newReceiver(context);
    const { agent_id, client } = await newAgent();
    const url = `${receiver.url}/hook?team=1`;
    const hook = await operator.webhooks.set({ agent_id, url, username: "desk", secret: "s e:cret" });

    const { results } = await client.webhooks.check();

    assert.equal(results.length, 1);
    const [result] = results;
    assert.deepEqual(
      { ...result, latency_ms: 0 },
      {
        type: "message",
        component_id: null,
        component_name: null,
        webhook_url: url,
        reachable: true,
        http_status: 200,
        latency_ms: 0,
      },
    );
    assert.ok((result?.latency_ms ?? -1) >= 0 && (result?.latency_ms ?? 0) < 5_000);
    const [request] = receiver.requests;
    assert.equal(receiver.requests.length, 1);
    assert.equal(request?.path, "/hook?team=1");
    assert.equal(AgentResponseMessage.parse(request?.body).istest, true);
    assert.equal(
      request?.headers["authorization"],
      `Basic ${Buffer.from("desk:s e:cret").toString("base64")}`,
    );
    assert.equal(request?.headers["content-type"], "application/json");
    new Webhook(hook.signing_secret ?? "").verify(
      request?.bodyBytes ?? "",
      request?.headers as Record<string, string>,
    );
  });

  it("4.3 sends each human service both requests and returns one result for them", async (context) => {
    const receiver = await newReceiver(context);
    const { agent_id, client } = await newAgent();
    const url = `${receiver.url}/desk/?team=1`;
    const desk = await operator.desks.create({ agent_id, name: "Desk", url, username: "token" });

    receiver.respond(({ path }) => ({ delayMs: path.startsWith("/desk/chat") ? 300 : 0 }));
    const { results } = await client.webhooks.check();

    const [result] = results;
    assert.equal(results.length, 1);
    assert.equal(result?.type, "human_service");
    assert.equal(result?.component_id, desk.component_id);
    assert.equal(result?.component_name, "Desk");
    assert.equal(result?.webhook_url, `${receiver.url}/desk/conversation/establish?team=1`);
    assert.equal(result?.reachable, true);
    assert.equal(result?.http_status, 200);
    assert.ok((result?.latency_ms ?? 0) >= 300, "the latency is that of the slower one");
    const byPath = new Map(receiver.requests.map((request) => [request.path, request]));
    assert.deepEqual([...byPath.keys()].toSorted(), [
      "/desk/chat?team=1",
      "/desk/conversation/establish?team=1",
    ]);
    const establish = EstablishHandoff.parse(byPath.get("/desk/conversation/establish?team=1")?.body);
    const chat = HandoffChat.parse(byPath.get("/desk/chat?team=1")?.body);
    assert.equal(establish.istest, true);
    assert.equal(establish.bot_id, agent_id);
    assert.equal(chat.istest, true);
    assert.equal(chat.conversation_id, establish.conversation_id);
    for (const { headers } of receiver.requests) assert.equal(headers["authorization"], "Bearer token");
  });

  it("4.3 sends a human service its chat after the answer to establish, and none without an answer", async (context) => {
    const receiver = await newReceiver(context);
    const { agent_id, client } = await newAgent();
    await operator.desks.create({ agent_id, name: "Desk", url: receiver.url });
    const known = new Set<unknown>();
    receiver.respond(async ({ path, body }) => {
      const { conversation_id } = body as { conversation_id: string };
      if (path === "/chat") return { status: known.has(conversation_id) ? 200 : 404 };
      await sleep(200);
      known.add(conversation_id);
      return undefined;
    });
    const [looked] = (await client.webhooks.check()).results;
    assert.deepEqual([looked?.reachable, looked?.http_status], [true, 200]);
    assert.deepEqual(receiver.requests.map(pathOf), ["/conversation/establish", "/chat"]);
    receiver.respond(() => ({ destroySocket: true }));
    await client.webhooks.check();
    assert.deepEqual(receiver.requests.map(pathOf).slice(2), ["/conversation/establish"]);
  });

  it("4.3 reports a human service as reachable only when both answer 200, with the first failure", async (context) => {
    const receiver = await newReceiver(context);
    const { agent_id, client } = await newAgent();
    await operator.desks.create({ agent_id, name: "Desk", url: receiver.url });
    const check = async (establish: number, chat: number) => {
      receiver.respond(({ path }) => ({ status: path === "/chat" ? chat : establish }));
      const [result] = (await client.webhooks.check()).results;
      return [result?.reachable, result?.http_status, result?.webhook_url.replace(receiver.url, "")];
    };
    assert.deepEqual(await check(200, 500), [false, 500, "/chat"]);
    assert.deepEqual(await check(404, 200), [false, 404, "/conversation/establish"]);
    assert.deepEqual(await check(404, 500), [false, 404, "/conversation/establish"]);
    assert.deepEqual(await check(201, 200), [false, 201, "/conversation/establish"]);
    receiver.respond(({ path }) => (path === "/chat" ? { destroySocket: true } : {}));
    const [cut] = (await client.webhooks.check()).results;
    assert.deepEqual(
      [cut?.reachable, cut?.http_status, cut?.webhook_url],
      [false, 0, `${receiver.url}/chat`],
    );
  });

  it("4.3 checks exactly the configured webhooks", async (context) => {
    const receiver = await newReceiver(context);
    const { agent_id, client } = await newAgent();
    assert.deepEqual(await client.webhooks.check(), { results: [] });

    const gone = await operator.desks.create({ agent_id, name: "Gone", url: `${receiver.url}/gone` });
    await operator.desks.create({ agent_id, name: "First", url: `${receiver.url}/first` });
    await operator.desks.create({ agent_id, name: "Second", url: `${receiver.url}/second` });
    await operator.desks.delete({ agent_id, component_id: gone.component_id });
    await operator.webhooks.set({ agent_id, url: `${receiver.url}/hook` });
    const { results } = await client.webhooks.check();
    assert.deepEqual(
      results.map(({ type, component_name }) => [type, component_name]),
      [
        ["message", null],
        ["human_service", "First"],
        ["human_service", "Second"],
      ],
    );
    assert.ok(!receiver.requests.some(({ path }) => path.startsWith("/gone")));
  });

  it("4.3 follows no redirect and counts any 200 as reachable", async (context) => {
    const receiver = await newReceiver(context);
    const { agent_id, client } = await newAgent();
    await operator.webhooks.set({ agent_id, url: `${receiver.url}/a`, strict_acknowledgement: true });
    receiver.respond(() => ({ status: 307, headers: { location: `${receiver.url}/b` } }));
    const [redirected] = (await client.webhooks.check()).results;
    assert.deepEqual([redirected?.reachable, redirected?.http_status], [false, 307]);
    assert.deepEqual(receiver.requests.map(pathOf), ["/a"]);
    receiver.respond(() => ({ body: "<html>" }));
    assert.equal((await client.webhooks.check()).results[0]?.reachable, true);
  });

  it("4.3 does not reveal whether an address is forbidden or unreachable", async () => {
    const { agent_id, client } = await newAgent();
    const looks: WebhookCheckResult[] = [];
    // The bed allows every ordinary port of this machine; what is ours stays closed, by whatever name.
    const portOf = (url: string) => new URL(url).port;
    const ownParts = [
      `http://127.0.0.1:${portOf(bed.engine.adminUrl)}/`,
      `http://localhost:${portOf(bed.engine.ingressUrl)}/`,
      `http://127.9.9.9:${portOf(bed.baseUrl)}/`,
    ];
    for (const url of [
      `http://127.0.0.1:${await freePort()}/`,
      "http://10.255.255.1/",
      "http://169.254.169.254/latest/meta-data",
      "https://[::ffff:10.0.0.1]/",
      ...ownParts,
    ]) {
      await operator.webhooks.set({ agent_id, url });
      looks.push(...(await client.webhooks.check()).results);
    }
    for (const { latency_ms, ...look } of looks) {
      assert.deepEqual(
        { ...look, webhook_url: "" },
        {
          type: "message",
          component_id: null,
          component_name: null,
          webhook_url: "",
          reachable: false,
          http_status: 0,
        },
      );
      assert.ok(latency_ms > 0 && latency_ms % 10 === 0, `${latency_ms} is told in steps of ten`);
      atMost(latency_ms, 1_000, "none of them is waited for");
    }
    assert.equal(looks.length, 4 + ownParts.length);
  });

  it("4.3 checks all webhooks concurrently: those that hang for 5 s do not delay a healthy one", async (context) => {
    const receiver = await newReceiver(context);
    const { agent_id, client } = await newAgent();
    await operator.webhooks.set({ agent_id, url: `${receiver.url}/hang/hook` });
    const hanging = 10;
    for (let index = 0; index < hanging; index += 1)
      await operator.desks.create({
        agent_id,
        name: `Desk ${index}`,
        url: `${receiver.url}/hang/${index}`,
      });
    await operator.desks.create({ agent_id, name: "Healthy", url: `${receiver.url}/healthy` });
    receiver.respond(({ path }) => ({ delayMs: path.startsWith("/hang") ? 7_000 : 0 }));
    const begun = performance.now();
    const { results } = await client.webhooks.check();
    const tookMs = performance.now() - begun;

    assert.equal(results.length, hanging + 2);
    assert.deepEqual([results.at(-1)?.reachable, results.at(-1)?.http_status], [true, 200]);
    for (const { reachable, http_status, latency_ms } of results.slice(0, -1)) {
      assert.deepEqual([reachable, http_status], [false, 0]);
      assert.ok(latency_ms >= 5_000, `each is given 5 s, not ${latency_ms} ms`);
    }
    atMost(tookMs, 6_000, "the whole check");
  });

  it("checks of keys and operators are listed with their cause, newest first, the last 50 of each webhook", async (context) => {
    const receiver = await newReceiver(context);
    const { agent_id, client } = await newAgent();
    const { webhook_id } = await operator.webhooks.set({ agent_id, url: `${receiver.url}/hook` });
    const desk = await operator.desks.create({ agent_id, name: "Desk", url: `${receiver.url}/desk` });
    const history = async (query: { webhook_id?: string; cursor?: string; limit?: number } = {}) =>
      operator.webhooks.listChecks({ agent_id, ...query });
    assert.deepEqual((await history()).list, []);

    receiver.respond(({ path }) => (path === "/desk/chat" ? { status: 503 } : undefined));
    await client.webhooks.check();
    const [ofDesk, ...others] = (await history({ webhook_id: desk.component_id })).list;
    assert.deepEqual(others, []);
    assert.deepEqual(
      [ofDesk?.url, ofDesk?.reachable, ofDesk?.http_status, ofDesk?.cause, ofDesk?.cause_page],
      [`${receiver.url}/desk/chat`, false, 503, "http_status", "docs/reference/errors/causes/http_status.md"],
    );
    const [ofHook] = (await history({ webhook_id })).list;
    assert.deepEqual([ofHook?.reachable, ofHook?.http_status, ofHook?.cause], [true, 200, null]);

    await operator.desks.delete({ agent_id, component_id: desk.component_id });
    for (let count = 0; count < 51; count += 1) await operator.webhooks.diagnose({ agent_id });
    const first = await history({ limit: 30 });
    const rest = await history({ limit: 30, cursor: first.next_cursor ?? "" });
    const kept = [...first.list, ...rest.list];
    assert.deepEqual([kept.length, rest.next_cursor], [50, null]);
    assert.ok(kept.every((check) => check.webhook_id === webhook_id && check.check_id !== ofHook?.check_id));
    assert.deepEqual(
      kept.map(({ check_id }) => check_id),
      kept
        .map(({ check_id }) => check_id)
        .toSorted()
        .toReversed(),
    );
    const stored = await bed.database.query(
      "select from webhook_check where agent_id = $1 and webhook_id = $2",
      [agent_id, webhook_id],
    );
    assert.equal(stored.length, 50);
    const { agent_id: other } = await newAgent();
    assert.deepEqual((await operator.webhooks.listChecks({ agent_id: other, webhook_id })).list, []);
  });

  it("4.3 creates no conversation, message or delivery", async (context) => {
    const receiver = await newReceiver(context);
    const { agent_id, client } = await newAgent();
    await operator.webhooks.set({ agent_id, url: `${receiver.url}/hook` });
    await operator.desks.create({ agent_id, name: "Desk", url: `${receiver.url}/desk` });
    const counts = async () =>
      Promise.all(
        STORED.map(
          async (table) => (await bed.database.query(`select count(*) from ${table}`))[0]?.["count"],
        ),
      );
    const before = await counts();
    receiver.respond(() => ({ status: 503 }));
    await client.webhooks.check();
    receiver.respond(() => undefined);
    await client.webhooks.check();
    assert.equal(receiver.requests.length, 6);
    assert.deepEqual(await counts(), before);
  });

  it("4.3 returns the first answer for a repeated Idempotency-Key without checking again", async (context) => {
    const receiver = await newReceiver(context);
    const { agent_id, client } = await newAgent();
    await operator.webhooks.set({ agent_id, url: `${receiver.url}/hook` });
    const first = await client.webhooks.check({}, { idempotencyKey: "the-same" });
    receiver.respond(() => ({ status: 500 }));
    assert.deepEqual(await client.webhooks.check({}, { idempotencyKey: "the-same" }), first);
    assert.equal(receiver.requests.length, 1);
    assert.equal(
      (await client.webhooks.check({}, { idempotencyKey: "another" })).results[0]?.http_status,
      500,
    );
  });

  it("4.3 accepts an empty body with and without application/json", async () => {
    const { apiKey } = await newAgent();
    for (const headers of [{}, { "content-type": "application/json" }]) {
      const response = await fetch(`${bed.baseUrl}/v1/webhook/check`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, ...headers },
      });
      assert.equal(response.status, 200);
      assert.deepEqual(await response.json(), { results: [] });
    }
  });

  it("4.3 is limited to ten calls a minute per key", async () => {
    const { agent_id, apiKey, client } = await newAgent();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => client.webhooks.check().withResponse()),
    );
    assert.deepEqual(
      answers.map(({ headers }) => headers.get("ratelimit-limit")),
      Array.from({ length: 10 }, () => "10"),
    );
    const refused = await fetch(`${bed.baseUrl}/v1/webhook/check`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}` },
    });
    assert.equal(refused.status, 429);
    assert.equal(((await refused.json()) as { code: number }).code, 42900);
    assert.ok(Number(refused.headers.get("retry-after")) > 30);
    assert.equal(refused.headers.get("ratelimit-remaining"), "0");
    await client.keys.verify();

    const { api_key } = await operator.keys.create({ agent_id, name: "second" });
    await clientWith(api_key).webhooks.check();
  });

  it("4.3 returns 40127 without a valid key and 40378 when the agent is deleted", async () => {
    const { agent_id, client } = await newAgent();
    const codeOf = async (call: Promise<unknown>) => {
      const error = await call.then(
        () => undefined,
        (error: unknown) => error,
      );
      return error instanceof SignalboxError ? error.code : error;
    };
    assert.equal(await codeOf(clientWith(`sbx_${"0".repeat(40)}`).webhooks.check()), 40127);
    await operator.agents.delete({ agent_id });
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    assert.equal(await codeOf(client.webhooks.check()), 40378);
  });
});

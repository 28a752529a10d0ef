import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { AgentResponseMessage, DeliveryDetail, DeliveryEntry, RequestOf } from "@signalbox/contract";
import { createClient, SignalboxError } from "@signalbox/sdk";
import type { Client } from "@signalbox/sdk";
import { makeAgentAt } from "@signalbox/tests/support/agent-at.ts";
import { openBed } from "@signalbox/tests/support/bed.ts";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import { freePort } from "@signalbox/tests/support/processes.ts";
import type { ReceivedRequest, Responder } from "@signalbox/tests/support/receiver.ts";

const REPOSITORY = new URL("../../", import.meta.url);
const OURS = /^(authorization|content-type|user-agent|webhook-.*|signalbox-.*)$/;

describe("delivery log", () => {
  let bed: Bed;
  let operator: Client;
  /** How the developer answers at each path. */
  const answers = new Map<string, Responder>();
  before(async () => {
    bed = await openBed({
      apis: 1,
      workers: 1,
      environment: { DELIVERY_RETRY_SECONDS: "0.2", DELIVERY_BLOCKED_SECONDS: "3" },
    });
    operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken, retries: 0 });
    bed.receiver.respond((request) => answers.get(request.path)?.(request));
  });
  after(() => bed[Symbol.asyncDispose]());

  let paths = 0;
  function newPath(responder: Responder = () => undefined): string {
    const path = `/hook-${(paths += 1)}`;
    answers.set(path, responder);
    return path;
  }

  async function list(query: RequestOf<"listDeliveries">): Promise<DeliveryEntry[]> {
    const found: DeliveryEntry[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await operator.deliveries.list({ ...query, ...(cursor === undefined ? {} : { cursor }) });
      assert.ok(page.list.length <= (query.limit ?? 50));
      found.push(...page.list);
      cursor = page.next_cursor;
    }
    return found;
  }

  async function onlyDetail(agent_id: string): Promise<DeliveryDetail> {
    const [delivery, ...more] = await list({ agent_id });
    assert.equal(more.length, 0);
    return operator.deliveries.get({ delivery_id: delivery?.delivery_id ?? "" });
  }

  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (error: unknown) => (error instanceof SignalboxError ? error.code : error),
    );

  const sentHeaders = ({ headers }: ReceivedRequest) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => OURS.test(name)));

  it("the delivery log lists deliveries newest first, page by page, each once", async () => {
    const agent = await makeAgentAt(bed, bed.receiver.url + newPath());
    const conversations = [await agent.converse(), await agent.converse()];
    for (let round = 0; round < 4; round += 1)
      for (const conversation of conversations) await agent.say(conversation, `message ${round}`);
    await agent.settled(8);

    const whole = await list({ agent_id: agent.agentId });
    assert.equal(whole.length, 8);
    assert.deepEqual(await list({ agent_id: agent.agentId, limit: 3 }), whole);
    assert.equal(new Set(whole.map(({ delivery_id }) => delivery_id)).size, 8);
    const times = whole.map(({ create_time }) => create_time);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
    for (const delivery of whole) {
      assert.equal(delivery.agent_id, agent.agentId);
      assert.equal(delivery.webhook_id, agent.webhookId);
      assert.equal(delivery.event, "message");
      assert.equal(delivery.sender, "ai");
      assert.equal(delivery.state, "delivered");
      assert.equal(delivery.attempt_count, 1);
      assert.equal(delivery.cause, null);
      assert.equal(delivery.replay_of, null);
      assert.ok((delivery.finish_time ?? 0) >= delivery.create_time);
    }
    assert.deepEqual(
      whole
        .filter(({ conversation_id }) => conversation_id === conversations[0])
        .map(({ sequence }) => sequence),
      [4, 3, 2, 1],
    );
  });

  it("the delivery log is filtered by agent, webhook, conversation, state, cause, event and time", async () => {
    const good = await makeAgentAt(bed, bed.receiver.url + newPath());
    const bad = await makeAgentAt(bed, bed.receiver.url + newPath(() => ({ status: 400 })));
    // A developer's own wish is kept, however long one message may hold up its conversation.
    const late = await makeAgentAt(
      bed,
      bed.receiver.url + newPath(() => ({ status: 503, headers: { "retry-after": "600" } })),
    );
    const down = await makeAgentAt(bed, `http://127.0.0.1:${await freePort()}/`);
    const conversation = await good.converse();
    await good.say(conversation);
    await good.say(await good.converse());
    await bad.say(await bad.converse());
    await late.say(await late.converse());
    await down.say(await down.converse());
    await good.settled(2);
    await bad.settled(1);
    await down.settled(1);
    await late.attempted(1);
    const ids = async (query: RequestOf<"listDeliveries">) =>
      (await list(query)).map(({ delivery_id }) => delivery_id);

    const ofGood = await ids({ agent_id: good.agentId });
    const [ofBad] = await ids({ agent_id: bad.agentId });
    const [ofLate] = await ids({ agent_id: late.agentId });
    const [ofDown] = await ids({ agent_id: down.agentId });
    assert.equal(ofGood.length, 2);
    assert.ok(ofBad !== undefined && ofLate !== undefined && ofDown !== undefined);
    const everything = await ids({});
    for (const id of [...ofGood, ofBad, ofLate, ofDown]) assert.ok(everything.includes(id));
    assert.deepEqual(await ids({ webhook_id: good.webhookId }), ofGood);
    assert.deepEqual(await ids({ webhook_id: bad.webhookId, agent_id: good.agentId }), []);
    const [ofConversation] = await list({ agent_id: good.agentId, conversation_id: conversation });
    assert.equal(ofConversation?.conversation_id, conversation);
    assert.equal((await ids({ agent_id: good.agentId, conversation_id: conversation })).length, 1);
    assert.deepEqual(await ids({ agent_id: bad.agentId, conversation_id: conversation }), []);

    const dead = await ids({ state: "dead" });
    assert.ok(dead.includes(ofBad) && dead.includes(ofDown));
    assert.ok(!dead.includes(ofLate) && ofGood.every((id) => !dead.includes(id)));
    assert.deepEqual(await ids({ state: "dead", agent_id: bad.agentId }), [ofBad]);
    assert.deepEqual(await ids({ state: "dead", agent_id: good.agentId }), []);
    assert.deepEqual(await ids({ state: "pending", agent_id: late.agentId }), [ofLate]);
    assert.deepEqual(await ids({ state: "delivered", agent_id: good.agentId }), ofGood);
    assert.deepEqual(await ids({ cause: "http_status", agent_id: bad.agentId }), [ofBad]);
    assert.deepEqual(await ids({ cause: "timeout", agent_id: bad.agentId }), []);
    assert.deepEqual(await ids({ cause: "connect_refused", agent_id: down.agentId }), [ofDown]);
    assert.deepEqual(await ids({ event: "message", agent_id: good.agentId }), ofGood);
    assert.deepEqual(await ids({ event: "handoff_closed", agent_id: good.agentId }), []);

    const [newer, older] = await list({ agent_id: good.agentId });
    const [newest, oldest] = [newer?.create_time ?? 0, older?.create_time ?? 0];
    assert.deepEqual(await ids({ agent_id: good.agentId, from_time: newest }), [newer?.delivery_id]);
    assert.deepEqual(await ids({ agent_id: good.agentId, from_time: newest + 1 }), []);
    assert.deepEqual(await ids({ agent_id: good.agentId, to_time: newest }), [older?.delivery_id]);
    assert.deepEqual(await ids({ agent_id: good.agentId, from_time: oldest, to_time: newest + 1 }), ofGood);
    assert.deepEqual(await ids({ state: "dead", agent_id: bad.agentId, to_time: oldest }), []);
  });

  it("the delivery log shows what deliveries say only on request, and audits that read", async () => {
    const agent = await makeAgentAt(bed, bed.receiver.url + newPath());
    const agent_id = agent.agentId;
    await agent.say(await agent.converse(), "two\nlines");
    await agent.settled(1);
    const reads = async () =>
      (await operator.audit.list({ agent_id })).list.filter(({ action }) => action === "deliveries.read");

    assert.equal((await list({ agent_id }))[0]?.preview, null);
    assert.equal((await list({ agent_id, with_preview: false }))[0]?.preview, null);
    assert.deepEqual(await reads(), []);
    const [shown] = await list({ agent_id, with_preview: true });
    const { body } = await operator.deliveries.get({ delivery_id: shown?.delivery_id ?? "" });
    const said = (JSON.parse(body) as AgentResponseMessage).output[0]?.content.text ?? "";
    assert.notEqual(said, "");
    assert.equal(shown?.preview, said.replaceAll(/\s+/g, " "));
    assert.equal((await reads()).length, 1);
    assert.equal(await codeOf(operator.deliveries.list({ with_preview: "yes" as never })), 40000);
  });

  it("a delivery shows its body and every attempt as sent, and explains each failure", async () => {
    const failures: Responder[] = [() => ({ status: 503 }), () => ({ destroySocket: true })];
    const path = newPath((request) => failures.shift()?.(request));
    const agent = await makeAgentAt(bed, bed.receiver.url + path, { username: "desk", secret: "s3cret" });
    await agent.say(await agent.converse());
    await agent.settled(1);

    const detail = await onlyDetail(agent.agentId);
    const requests = bed.receiver.requests.filter((request) => request.path === path);
    assert.equal(detail.state, "delivered");
    assert.equal(detail.attempt_count, 3);
    assert.equal(detail.body, requests[0]?.bodyBytes.toString("utf8"));
    assert.equal(detail.body_base64, null);
    assert.deepEqual(
      detail.attempts.map(({ number, cause, http_status, acknowledged }) => [
        number,
        cause,
        http_status,
        acknowledged,
      ]),
      [
        [1, "http_status", 503, null],
        [2, "connection_lost", null, null],
        [3, null, 200, true],
      ],
    );
    const firstBytes = detail.attempts.map(({ timings }) => timings.first_byte_ms !== null);
    assert.deepEqual(firstBytes, [true, false, true], "an answer that never came has no first byte");
    for (const { duration_ms, timings } of detail.attempts) {
      assert.deepEqual([timings.dns_ms, timings.tls_ms], [null, null]);
      // Each step is rounded by itself.
      assert.ok((timings.connect_ms ?? 0) + (timings.first_byte_ms ?? 0) <= duration_ms + 2);
    }
    for (const [index, attempt] of detail.attempts.entries()) {
      assert.equal(attempt.url, bed.receiver.url + path);
      assert.ok(attempt.duration_ms >= 0 && attempt.duration_ms < 10_000);
      assert.ok(attempt.start_time >= detail.create_time - 1_000);
      const sent = sentHeaders(requests[index] as ReceivedRequest);
      assert.match(sent["authorization"] ?? "", /^Basic /);
      assert.deepEqual(attempt.request_headers, { ...sent, authorization: "Basic [redacted]" });
      assert.equal(attempt.cause === null, attempt.cause_page === null);
      if (attempt.cause_page !== null)
        assert.ok(existsSync(fileURLToPath(new URL(attempt.cause_page, REPOSITORY))));
    }
    assert.equal(detail.attempts[2]?.response_body, null);
  });

  it("the delivery log stores no credential that a developer echoes, however it is encoded", async () => {
    const username = "desk/user";
    const secret = `p"a\\ss'<&>w0rd/`;
    const echoes: ((text: string) => string)[] = [
      (text) => text,
      (text) => JSON.stringify({ echoed: text }),
      (text) => JSON.stringify({ echoed: JSON.stringify({ text }) }).replaceAll("/", "\\/"),
      (text) => encodeURIComponent(text),
      (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&#34;").replaceAll("<", "&lt;"),
    ];
    const path = newPath(({ headers, rawHeaders }) => {
      const echo = echoes[Number(headers["signalbox-attempt"]) - 1];
      const sent = `${JSON.stringify(rawHeaders)} ${username} ${secret}`;
      return echo === undefined ? undefined : { status: 500, body: `echo: ${echo(sent)} end of echo` };
    });
    const agent = await makeAgentAt(bed, bed.receiver.url + path, { username, secret });
    await agent.say(await agent.converse());
    await agent.settled(1);

    const detail = await onlyDetail(agent.agentId);
    assert.equal(detail.attempts.length, echoes.length + 1, "every spelling was tried");
    const basic = Buffer.from(`${username}:${secret}`).toString("base64");
    for (const { response_body } of detail.attempts.slice(0, -1)) {
      assert.match(response_body ?? "", /^echo: .*redacted.*end of echo$/s);
      for (const credential of [username, secret, basic, "w0rd", basic.slice(4, 20)])
        assert.ok(!response_body?.includes(credential), `${credential} in ${response_body}`);
    }
    const kept = await bed.database.query("select response_body from attempt where agent_id = $1", [
      agent.agentId,
    ]);
    for (const { response_body } of kept)
      assert.ok(!String(response_body as Buffer | null).includes("w0rd"), "nor is it in the database");
    assert.ok(!bed.logs().includes("w0rd"), "nor in any log");
  });

  it("a reply that is not text is shown as bytes, and only its beginning is stored", async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe, 0x80]);
    const replies = [bytes, Buffer.alloc(50_000, "x")];
    const path = newPath(() => {
      const body = replies.shift();
      return body === undefined ? undefined : { status: 500, body };
    });
    const agent = await makeAgentAt(bed, bed.receiver.url + path);
    await agent.say(await agent.converse());
    await agent.settled(1);
    const [first, second] = (await onlyDetail(agent.agentId)).attempts;
    assert.equal(first?.response_body_base64, bytes.toString("base64"));
    assert.equal(second?.response_body_base64, null);
    assert.equal(second?.response_body, "x".repeat(4_096));
  });

  it("a 200 without the acknowledgement of 4.5 is recorded as delivered and marked", async () => {
    const agent = await makeAgentAt(bed, bed.receiver.url + newPath(() => ({ body: { ok: true } })));
    await agent.say(await agent.converse());
    await agent.settled(1);
    const { state, attempts } = await onlyDetail(agent.agentId);
    assert.equal(state, "delivered");
    assert.equal(attempts[0]?.acknowledged, false);
    assert.equal(attempts[0]?.response_body, '{"ok":true}');
  });

  it("the delivery log refuses an unknown id or an invalid filter", async () => {
    const id = "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21";
    assert.equal(await codeOf(operator.deliveries.get({ delivery_id: id })), 40401);
    assert.equal(await codeOf(operator.deliveries.list({ conversation_id: id })), 40000);
    assert.equal(await codeOf(operator.deliveries.list({ cursor: id })), 40000);
    assert.equal(await codeOf(operator.deliveries.list({ limit: 101 })), 40000);
    const stranger = createClient({ baseUrl: bed.baseUrl, operatorToken: "x".repeat(40), retries: 0 });
    assert.equal(await codeOf(stranger.deliveries.list()), 40127);
  });
});

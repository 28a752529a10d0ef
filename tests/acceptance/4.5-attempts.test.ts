import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { makeAgent, operatorOf } from "../support/agents.ts";
import type { MadeAgent } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { eventually } from "../support/processes.ts";
import type { ReceivedRequest } from "../support/receiver.ts";
import { atMost } from "../support/machine.ts";

/** By the published library, over the bytes as they came; throws when the signature is none of this secret's. */
function verify(secret: string, { bodyBytes, headers }: ReceivedRequest): void {
  new Webhook(secret).verify(bodyBytes.toString("utf8"), headers as Record<string, string>);
}

const gapMs = (requests: ReceivedRequest[], at: number) =>
  (requests[at]?.arrivedAt ?? 0) - (requests[at - 1]?.arrivedAt ?? 0);

describe("4.5 attempts at the message webhook", { concurrency: true }, () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed();
  });
  after(() => bed[Symbol.asyncDispose]());

  const isDelivered = (agent: MadeAgent) =>
    eventually("its deliveries are settled", async () => {
      const rows = await bed.database.query(
        "select 1 from delivery where agent_id = $1 and state = 'pending'",
        [agent.agentId],
      );
      return rows.length === 0;
    });

  it("an attempt is signed by Standard Webhooks over the bytes sent", async () => {
    const agent = await makeAgent(bed, {
      qaList: [{ question: "Öffnungszeiten?", answer: "Neun Uhr – 九点 😀" }],
    });
    await agent.ask(await agent.converse(), "Öffnungszeiten?");
    const [request] = await agent.arrivals(1);
    assert.ok(request !== undefined);
    verify(agent.signingSecret, request);
    assert.equal(request.headers["webhook-signature"]?.split(" ").length, 1);
    const age = Date.now() / 1000 - Number(request.headers["webhook-timestamp"]);
    assert.ok(age > -2 && age < 30, `seconds of this moment, not ${request.headers["webhook-timestamp"]}`);
    const other = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    assert.throws(() => verify(other, request));
    const forged = { ...request, bodyBytes: Buffer.from(`${request.bodyBytes.toString()} `) };
    assert.throws(() => verify(agent.signingSecret, forged));
  });

  it("an attempt carries both signatures during a rotation overlap and only the new one afterwards", async () => {
    const agent = await makeAgent(bed);
    const conversationId = await agent.converse();
    const rotate = (overlap_seconds: number) =>
      operatorOf(bed).webhooks.rotateSecret({ agent_id: agent.agentId, overlap_seconds });
    const rotated = await rotate(3_600);
    assert.ok((rotated.previous_expire_time ?? 0) > Date.now());
    assert.notEqual(rotated.signing_secret, agent.signingSecret);
    await agent.ask(conversationId, "during");
    const [during] = await agent.arrivals(1);
    assert.ok(during !== undefined);
    assert.equal(during.headers["webhook-signature"]?.split(" ").length, 2);
    verify(agent.signingSecret, during);
    verify(rotated.signing_secret, during);

    const again = await rotate(1);
    await sleep((again.previous_expire_time ?? 0) - Date.now() + 100);
    await agent.ask(conversationId, "after");
    const [, after] = await agent.arrivals(2);
    assert.ok(after !== undefined);
    assert.equal(after.headers["webhook-signature"]?.split(" ").length, 1);
    verify(again.signing_secret, after);
    assert.throws(() => verify(rotated.signing_secret, after));
  });

  it("the old secret ends at once when a rotation has no overlap", async () => {
    const agent = await makeAgent(bed);
    const rotated = await operatorOf(bed).webhooks.rotateSecret({
      agent_id: agent.agentId,
      overlap_seconds: 0,
    });
    assert.equal(rotated.previous_expire_time, null);
    await agent.ask(await agent.converse(), "hello");
    const [request] = await agent.arrivals(1);
    assert.ok(request !== undefined);
    verify(rotated.signing_secret, request);
    assert.throws(() => verify(agent.signingSecret, request));
  });

  it("a failed attempt is repeated with the same id and body, a new number and a new time", async () => {
    const agent = await makeAgent(bed);
    const answers = [{ status: 500 }, { destroySocket: true }];
    agent.respond(() => answers.shift());
    await agent.ask(await agent.converse(), "hello");
    const requests = await agent.arrivals(3);
    const [first] = requests;
    assert.ok(first !== undefined);
    assert.deepEqual(
      requests.map(({ headers }) => headers["signalbox-attempt"]),
      ["1", "2", "3"],
    );
    for (const request of requests) {
      assert.equal(request.headers["webhook-id"], first.headers["webhook-id"]);
      assert.equal(request.headers["signalbox-sequence"], "1");
      assert.deepEqual(request.bodyBytes, first.bodyBytes);
      verify(agent.signingSecret, request);
    }
    const times = requests.map(({ headers }) => Number(headers["webhook-timestamp"]));
    assert.ok(
      (times[1] ?? 0) > (times[0] ?? 0) && (times[2] ?? 0) > (times[1] ?? 0),
      `fresh: ${times.join()}`,
    );
    assert.ok(gapMs(requests, 1) >= 1_000, `after a second at the least: ${gapMs(requests, 1)} ms`);
    assert.ok(gapMs(requests, 2) >= 3_000, `then after three: ${gapMs(requests, 2)} ms`);
    await isDelivered(agent);
    const attempts = await bed.database.query(
      "select number, cause, http_status from attempt where agent_id = $1 order by number",
      [agent.agentId],
    );
    assert.deepEqual(attempts, [
      { number: 1, cause: "http_status", http_status: 500 },
      { number: 2, cause: "connection_lost", http_status: null },
      { number: 3, cause: null, http_status: 200 },
    ]);
  });

  it("a later message is held back until the earlier one is delivered", async () => {
    const agent = await makeAgent(bed);
    const answers = [{ status: 503 }, { status: 400 }];
    agent.respond(() => answers.shift());
    const conversationId = await agent.converse();
    for (const text of ["one", "two"]) await agent.ask(conversationId, text);
    const requests = await agent.arrivals(4);
    assert.deepEqual(
      requests.map(({ headers }) => headers["signalbox-sequence"]),
      ["1", "1", "1", "2"],
    );
  });

  it("a retry waits as long as Retry-After asks", async () => {
    const agent = await makeAgent(bed);
    const answers = [{ status: 429, headers: { "retry-after": "3" } }];
    agent.respond(() => answers.shift());
    await agent.ask(await agent.converse(), "hello");
    const requests = await agent.arrivals(2);
    assert.ok(gapMs(requests, 1) >= 3_000, `it came again after ${gapMs(requests, 1)} ms`);
    atMost(gapMs(requests, 1), 6_000, "it came again");
  });

  it("an attempt never follows a redirect", async () => {
    const agent = await makeAgent(bed);
    const elsewhere = `/elsewhere/${agent.agentId}`;
    const answers = [301, 302, 307].map((status) => ({ status, headers: { location: elsewhere } }));
    agent.respond(() => answers.shift());
    await agent.ask(await agent.converse(), "hello");
    const requests = await agent.arrivals(3, 20_000);
    assert.equal(requests[2]?.headers["signalbox-attempt"], "3");
    assert.equal(
      bed.receiver.requests.some(({ path }) => path === elsewhere),
      false,
    );
  });

  it("any 200 counts as delivered, unless the webhook has strict acknowledgement", async () => {
    const agent = await makeAgent(bed);
    agent.respond(() => ({ body: "thank you" }));
    const conversationId = await agent.converse();
    await agent.ask(conversationId, "lenient");
    await agent.arrivals(1);
    await isDelivered(agent);

    await operatorOf(bed).webhooks.set({
      agent_id: agent.agentId,
      url: agent.webhookUrl,
      strict_acknowledgement: true,
    });
    const answers = [{ body: "thank you" }, { body: { code: 200, msg: "success", extra: 1 } }];
    agent.respond(() => answers.shift());
    await agent.ask(conversationId, "strict");
    await agent.arrivals(3);
    await isDelivered(agent);
    assert.deepEqual(
      agent.arrived().map(({ headers }) => [headers["signalbox-sequence"], headers["signalbox-attempt"]]),
      [
        ["1", "1"],
        ["2", "1"],
        ["2", "2"],
      ],
    );
  });

  it("pending messages go to the new URL with the new credentials and secret", async () => {
    const agent = await makeAgent(bed, { webhook: { username: "old" } });
    agent.respond(() => ({ status: 503 }));
    const conversationId = await agent.converse();
    for (const text of ["one", "two"]) await agent.ask(conversationId, text);
    const [before] = await agent.arrivals(1);
    assert.equal(before?.headers["authorization"], "Bearer old");

    const operator = operatorOf(bed);
    const url = `${bed.receiver.url}/moved/${agent.agentId}`;
    const { agentId: agent_id } = agent;
    const rotated = await operator.webhooks.rotateSecret({ agent_id, overlap_seconds: 0 });
    await operator.webhooks.set({ agent_id, url, username: "new", secret: "word" });
    const moved = () => bed.receiver.requests.filter(({ path }) => path === new URL(url).pathname);
    await eventually("both messages arrive at the new address", () => moved().length >= 2);
    const [first, second] = moved();
    assert.ok(first !== undefined && second !== undefined);
    assert.equal(first.headers["webhook-id"], before?.headers["webhook-id"]);
    for (const request of [first, second]) {
      assert.equal(request.headers["authorization"], `Basic ${Buffer.from("new:word").toString("base64")}`);
      verify(rotated.signing_secret, request);
    }
  });

  it("pending messages are given up with their cause when the webhook or the agent is deleted", async () => {
    const agents = await Promise.all([makeAgent(bed), makeAgent(bed)]);
    const operator = operatorOf(bed);
    for (const [at, agent] of agents.entries()) {
      agent.respond(() => ({ status: 503 }));
      await agent.ask(await agent.converse(), "hello");
      await agent.arrivals(1);
      const { agentId: agent_id } = agent;
      await (at === 0 ? operator.webhooks.delete({ agent_id }) : operator.agents.delete({ agent_id }));
    }
    for (const agent of agents) {
      await isDelivered(agent);
      const [row] = await bed.database.query(
        `select d.state, (select cause from attempt a where a.delivery_id = d.id order by number desc limit 1) as cause
          from delivery d where d.agent_id = $1`,
        [agent.agentId],
      );
      assert.deepEqual(row, { state: "dead", cause: "no_destination" });
    }
  });
});

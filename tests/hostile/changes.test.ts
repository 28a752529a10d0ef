import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { makeAgentAt, type AgentAt } from "../support/agent-at.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { eventually } from "../support/processes.ts";
import type { ReceivedRequest, Reply } from "../support/receiver.ts";
import { atMost } from "../support/machine.ts";

type Answering = (request: ReceivedRequest) => Reply | undefined | Promise<Reply | undefined>;

let bed: Bed;
const replies = new Map<string, Answering>();

before(async () => {
  bed = await openBed({
    apis: 1,
    workers: 1,
    environment: {
      DELIVERY_TIMEOUT_SECONDS: "4",
      DELIVERY_RETRY_SECONDS: "0.3,0.6,1",
      DELIVERY_BLOCKED_SECONDS: "4",
      RATE_LIMIT_PER_SECOND: "100000",
    },
  });
  bed.receiver.respond((request) => replies.get(request.path)?.(request));
});
after(() => bed?.[Symbol.asyncDispose]());

/** So long a drain may hold on to what it has read; after that it looks again before it sends. */
const FRESH_MS = 1_000;

const urlOf = (path: string) => `${bed.receiver.url}${path}`;

async function agentAt(
  path: string,
  reply?: Answering,
  webhook?: Parameters<typeof makeAgentAt>[2],
): Promise<AgentAt> {
  if (reply !== undefined) replies.set(path, reply);
  return makeAgentAt(bed, urlOf(path), webhook);
}

function arrivedAt(path: string): ReceivedRequest[] {
  return bed.receiver.requests.filter((request) => request.path === path);
}

function arrival(path: string, count = 1): Promise<ReceivedRequest> {
  return eventually(`${count} arrived at ${path}`, () => arrivedAt(path)[count - 1], { everyMs: 10 });
}

function verify(secret: string, { bodyBytes, headers }: ReceivedRequest): unknown {
  return new Webhook(secret).verify(bodyBytes.toString("utf8"), headers as Record<string, string>);
}

/** Answers when it is told to; what is in flight stays so until then. */
function held(reply: Reply): { answer: Answering; release: () => void } {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  return { answer: () => promise, release: () => resolve(reply) };
}

const states = (rows: { state: string; cause: string | null }[]) =>
  rows.map(({ state, cause }) => [state, cause]);

describe("webhook changed during delivery", () => {
  it("the attempt in flight counts after a change of URL, and waiting messages go to the new one", async () => {
    const old = held({});
    const agent = await agentAt("/url-old", old.answer);
    const conversationId = await agent.converse();
    for (let time = 0; time < 3; time += 1) await agent.say(conversationId);
    await arrival("/url-old");
    await eventually("the others wait", async () => (await agent.deliveries()).length === 3);
    await agent.moveTo(urlOf("/url-new"));
    await sleep(FRESH_MS);
    old.release();
    await agent.settled(3);
    const sequences = (path: string) => arrivedAt(path).map(({ headers }) => headers["signalbox-sequence"]);
    assert.deepEqual([sequences("/url-old"), sequences("/url-new")], [["1"], ["2", "3"]]);
  });

  it("a busy conversation uses the new URL within a second, and every message comes once, in order", async () => {
    const slowly = async (): Promise<Reply | undefined> => {
      await sleep(300);
      return undefined;
    };
    let isFirst = true;
    const agent = await agentAt("/busy-old", () => {
      if (!isFirst) return slowly();
      isFirst = false;
      // So that all of them wait together, and are read in one go.
      return { status: 500, headers: { "retry-after": "3" } };
    });
    const conversationId = await agent.converse();
    for (let time = 0; time < 30; time += 1) await agent.say(conversationId);
    await arrival("/busy-old", 3);
    await agent.moveTo(urlOf("/busy-new"));
    const movedAt = performance.timeOrigin + performance.now();
    await agent.settled(30, 40_000);
    const leftMs = (arrivedAt("/busy-old").at(-1)?.arrivedAt ?? 0) - movedAt;
    atMost(leftMs, FRESH_MS + 500, "the old URL is called after the change");
    const all = [...arrivedAt("/busy-old").slice(1), ...arrivedAt("/busy-new")];
    assert.deepEqual(
      all.map(({ headers }) => Number(headers["signalbox-sequence"])),
      Array.from({ length: 30 }, (_, index) => index + 1),
    );
  });

  it("a message whose attempt fails at the old URL is tried again at the new one as the same message", async () => {
    const old = held({ status: 500 });
    const agent = await agentAt("/fails-old", old.answer);
    await agent.say(await agent.converse());
    const first = await arrival("/fails-old");
    await agent.moveTo(urlOf("/fails-new"));
    old.release();
    await agent.settled(1);
    const second = await arrival("/fails-new");
    assert.equal(second.headers["webhook-id"], first.headers["webhook-id"]);
    assert.deepEqual(second.bodyBytes, first.bodyBytes);
    assert.deepEqual(
      [first, second].map(({ headers }) => headers["signalbox-attempt"]),
      ["1", "2"],
    );
  });

  it("messages are signed with both secrets during a rotation overlap, and with the new one alone without overlap", async () => {
    const agent = await agentAt("/rotated", (request) =>
      request.headers["signalbox-attempt"] === "3" ? undefined : { status: 500 },
    );
    const { agentId: agent_id } = agent;
    await agent.say(await agent.converse());
    const first = await arrival("/rotated");
    const rotated = await agent.operator.webhooks.rotateSecret({ agent_id, overlap_seconds: 60 });
    const second = await arrival("/rotated", 2);
    const last = await agent.operator.webhooks.rotateSecret({ agent_id, overlap_seconds: 0 });
    const third = await arrival("/rotated", 3);
    verify(agent.signingSecret, first);
    for (const secret of [agent.signingSecret, rotated.signing_secret]) verify(secret, second);
    verify(last.signing_secret, third);
    assert.throws(() => verify(rotated.signing_secret, third));
    assert.equal(new Set([first, second, third].map(({ headers }) => headers["webhook-id"])).size, 1);
  });

  it("after a change of credentials only the new ones are sent", async () => {
    const agent = await agentAt(
      "/credentials",
      (request) => (request.headers["authorization"] === "Bearer new" ? undefined : { status: 401 }),
      { username: "old", secret: "word" },
    );
    await agent.say(await agent.converse());
    await arrival("/credentials");
    await agent.moveTo(urlOf("/credentials"), { username: "new", secret: null });
    await agent.settled(1);
    const sent = arrivedAt("/credentials").map(({ headers }) => headers["authorization"]);
    const firstNew = sent.indexOf("Bearer new");
    assert.ok(firstNew > 0);
    assert.deepEqual([...new Set(sent.slice(firstNew))], ["Bearer new"]);
  });

  it("a webhook that becomes strict is strict from the next attempt on", async () => {
    const agent = await agentAt("/strict", () => ({ body: "thanks" }));
    const conversationId = await agent.converse();
    await agent.say(conversationId);
    await agent.settled(1);
    await agent.moveTo(urlOf("/strict"), { strict_acknowledgement: true });
    await agent.say(conversationId);
    const attempts = await agent.attempted(3);
    assert.deepEqual(
      attempts.map(({ seq, cause }) => [seq, cause]),
      [
        [1, null],
        [2, "unacknowledged"],
        [2, "unacknowledged"],
      ],
    );
  });

  for (const what of ["webhook", "agent"]) {
    it(`deleting the ${what} delivers what is in flight, and gives up the rest, visibly`, async () => {
      const path = `/deleted-${what}`;
      const inFlight = held({});
      const agent = await agentAt(path, inFlight.answer);
      const conversationId = await agent.converse();
      for (let time = 0; time < 3; time += 1) await agent.say(conversationId);
      await arrival(path);
      await eventually("the others wait", async () => (await agent.deliveries()).length === 3);
      const { agentId: agent_id, operator } = agent;
      await (what === "agent"
        ? operator.agents.delete({ agent_id })
        : operator.webhooks.delete({ agent_id }));
      await sleep(FRESH_MS);
      inFlight.release();
      const rows = await agent.settled(3);
      assert.deepEqual(states(rows), [
        ["delivered", null],
        ["dead", "no_destination"],
        ["dead", "no_destination"],
      ]);
      assert.equal(arrivedAt(path).length, 1);
      await eventually("operators are told of both", () => agent.events().length >= 2);
      assert.deepEqual(agent.events(), ["delivery_dead", "delivery_dead"]);
    });

    it(`deleting the ${what} gives up all that is parked for a webhook that is down`, async () => {
      const path = `/deleted-down-${what}`;
      const agent = await agentAt(path, () => ({ status: 410 }));
      for (let time = 0; time < 6; time += 1) await agent.say(await agent.converse());
      await eventually("all is parked", async () => {
        const rows = await bed.database.query("select state from lane where agent_id = $1", [agent.agentId]);
        return rows.length === 6 && rows.every((row) => row["state"] === "parked");
      });
      const { agentId: agent_id, operator } = agent;
      await (what === "agent"
        ? operator.agents.delete({ agent_id })
        : operator.webhooks.delete({ agent_id }));
      const rows = await agent.settled(6, 30_000);
      assert.deepEqual(new Set(rows.map(({ cause }) => cause)), new Set(["no_destination"]));
    });
  }

  it("a webhook deleted and configured anew gets nothing that waited for the old one", async () => {
    const agent = await agentAt("/first-life", () => ({ status: 500 }));
    const conversationId = await agent.converse();
    await agent.say(conversationId);
    await arrival("/first-life");
    await agent.operator.webhooks.delete({ agent_id: agent.agentId });
    await agent.moveTo(urlOf("/second-life"));
    await agent.say(conversationId);
    const rows = await agent.settled(2);
    assert.deepEqual(rows.map(({ state }) => state).toSorted(), ["dead", "delivered"]);
    assert.equal(arrivedAt("/second-life").length, 1);
    assert.equal(arrivedAt("/second-life")[0]?.headers["signalbox-sequence"], "1");
  });
});

describe("undeliverable messages", () => {
  const mainWorker = () => bed.worker().pid();

  it("a message that is always refused blocks its conversation for its time, then lets the next one pass", async () => {
    const agent = await agentAt("/refused", ({ headers }) =>
      headers["signalbox-sequence"] === "2" ? { status: 422, body: "not this one" } : undefined,
    );
    const conversationId = await agent.converse();
    for (let time = 0; time < 4; time += 1) await agent.say(conversationId);
    const rows = await agent.settled(4, 30_000);
    assert.deepEqual(states(rows), [
      ["delivered", null],
      ["dead", "http_status"],
      ["delivered", null],
      ["delivered", null],
    ]);
    const order = arrivedAt("/refused").map(({ headers }) => Number(headers["signalbox-sequence"]));
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    );
    const tried = arrivedAt("/refused").filter(({ headers }) => headers["signalbox-sequence"] === "2");
    const blockedMs = (tried.at(-1)?.arrivedAt ?? 0) - (tried[0]?.arrivedAt ?? 0);
    assert.ok(blockedMs >= 3_500, `it was tried for ${blockedMs} ms`);
    atMost(blockedMs, 9_000, "it is tried");
    await eventually("operators are told", () => agent.events().length > 0);
    assert.deepEqual(agent.events(), ["delivery_dead"]);
  });

  it("a message to an unusable URL is given up at once, and later ones are delivered after the repair", async () => {
    const pid = mainWorker();
    const agent = await agentAt("/never");
    const conversationId = await agent.converse();
    for (const url of ["http://[broken", "gopher://old.example/", "http://user:pw@127.0.0.1/", ""]) {
      const before = (await agent.deliveries()).length;
      await bed.database.query("update webhook set url = $2 where id = $1", [agent.webhookId, url]);
      await agent.say(conversationId);
      const rows = await agent.settled(before + 1);
      assert.deepEqual(states(rows.slice(-1)), [["dead", "invalid_request"]], url);
      assert.equal(rows.at(-1)?.attempts, 1);
    }
    await agent.moveTo(urlOf("/repaired"));
    await agent.say(conversationId);
    await agent.settled(5);
    assert.equal((await arrival("/repaired")).headers["signalbox-sequence"], "5");
    assert.equal(mainWorker(), pid);
    await eventually("the worker serves", () => bed.worker().isReady());
  });

  it("a message whose webhook's secret no key opens waits, is logged, and is delivered when the secret is repaired", async () => {
    const agent = await agentAt("/sealed", undefined, { username: "me", secret: "pw" });
    const [row] = await bed.database.query("select secret_sealed from webhook where id = $1", [
      agent.webhookId,
    ]);
    const spoil = (bytes: string) =>
      bed.database.query("update webhook set secret_sealed = $2 where id = $1", [
        agent.webhookId,
        Buffer.from(bytes),
      ]);
    const conversationId = await agent.converse();
    await spoil("\u0001\u0002k9 sealed with a key that is gone");
    await agent.say(conversationId);
    await agent.attempted(2);
    assert.deepEqual([...new Set((await agent.attempts()).map(({ cause }) => cause))], ["unreadable_secret"]);
    await bed.database.query("update webhook set secret_sealed = $2 where id = $1", [
      agent.webhookId,
      row?.["secret_sealed"],
    ]);
    const rows = await agent.settled(1);
    assert.equal(rows[0]?.state, "delivered");
    assert.equal(arrivedAt("/sealed").length, 1);

    await spoil("no seal at all");
    await agent.say(conversationId);
    const [, second] = await agent.settled(2, 30_000);
    assert.deepEqual([second?.state, second?.cause], ["dead", "unreadable_secret"]);
    await eventually("the worker serves", () => bed.worker().isReady());
  });

  it("a message is delivered byte for byte, however odd its bytes", async () => {
    const agent = await agentAt("/odd");
    const odd = [Buffer.alloc(5_000_000, "x"), Buffer.from([0, 255, 254, 13, 10]), Buffer.from("{not json")];
    replies.set("/odd", ({ headers }) =>
      headers["signalbox-attempt"] === "1" ? { status: 500, headers: { "retry-after": "3" } } : undefined,
    );
    for (const body of odd) {
      const conversationId = await agent.converse();
      const before = (await agent.deliveries()).length;
      await agent.say(conversationId);
      await eventually("it is enqueued", async () => (await agent.deliveries()).length === before + 1);
      await bed.database.query(`update delivery set body = $2 where agent_id = $1 and state = 'pending'`, [
        agent.agentId,
        body,
      ]);
      await agent.settled(before + 1, 30_000);
      const last = arrivedAt("/odd").at(-1);
      assert.ok(last !== undefined && last.bodyBytes.equals(body), `${body.length} bytes`);
      verifyBytes(agent.signingSecret, last);
    }
  });

  /** The library takes text, so bytes that are none are compared by its own signature of them. */
  function verifyBytes(secret: string, request: ReceivedRequest): void {
    const at = new Date(Number(request.headers["webhook-timestamp"]) * 1_000);
    const text = request.bodyBytes.toString("utf8");
    if (!Buffer.from(text, "utf8").equals(request.bodyBytes)) return;
    const signature = new Webhook(secret).sign(request.headers["webhook-id"] ?? "", at, text);
    assert.equal(request.headers["webhook-signature"], signature);
  }
});

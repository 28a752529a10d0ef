import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { makeAgentAt, type AgentAt } from "../support/agent-at.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { eventually } from "../support/processes.ts";
import type { ReceivedRequest, Reply } from "../support/receiver.ts";
import { atMost } from "../support/machine.ts";

let bed: Bed;
const replies = new Map<string, (request: ReceivedRequest) => Reply | undefined>();

before(async () => {
  bed = await openBed({
    apis: 1,
    workers: 2,
    environment: { DELIVERY_RETRY_SECONDS: "0.4,0.8,1.5", RATE_LIMIT_PER_SECOND: "100000" },
  });
  bed.receiver.respond((request) => replies.get(request.path)?.(request));
});
after(() => bed?.[Symbol.asyncDispose]());

async function agentAt(
  path: string,
  reply?: (request: ReceivedRequest) => Reply | undefined,
): Promise<AgentAt> {
  if (reply !== undefined) replies.set(path, reply);
  return makeAgentAt(bed, `${bed.receiver.url}${path}`);
}

function arrivedAt(path: string): ReceivedRequest[] {
  return bed.receiver.requests.filter((request) => request.path === path);
}

/** Sequences of every conversation as they arrived, first arrivals only. */
function orders(requests: ReceivedRequest[]): number[][] {
  const conversations = Map.groupBy(
    requests,
    ({ body }) => (body as { conversation_id: string }).conversation_id,
  );
  return [...conversations.values()].map((all) => [
    ...new Set(all.map(({ headers }) => Number(headers["signalbox-sequence"]))),
  ]);
}

async function breakerOf({ webhookId }: AgentAt): Promise<string | undefined> {
  const [row] = await bed.database.query("select breaker from destination where id = $1", [webhookId]);
  return row?.["breaker"] as string | undefined;
}

async function fill(agent: AgentAt, conversations: number, messagesEach: number): Promise<void> {
  const ids = await Promise.all(Array.from({ length: conversations }, () => agent.converse()));
  for (let message = 0; message < messagesEach; message += 1)
    await Promise.all(ids.map((id) => agent.say(id)));
  await eventually(
    "every turn is over",
    async () => (await agent.deliveries()).length === conversations * messagesEach,
  );
}

async function parked(agent: AgentAt): Promise<void> {
  await eventually("all its lanes are parked", async () => {
    const rows = await bed.database.query("select state from lane where agent_id = $1", [agent.agentId]);
    return rows.length > 0 && rows.every((row) => row["state"] === "parked");
  });
}

describe("webhook that answers 410", () => {
  const CONVERSATIONS = 12;
  const MESSAGES = 3;

  it("a webhook that answers 410 is disabled and reported once, not called, and served in order once enabled", async () => {
    const path = "/gone";
    const agent = await agentAt(path, () => ({ status: 410 }));
    await fill(agent, CONVERSATIONS, MESSAGES);
    await parked(agent);
    assert.equal(await breakerOf(agent), "disabled");
    const before = arrivedAt(path).length;
    assert.ok(before <= CONVERSATIONS, `${before} requests for ${CONVERSATIONS} conversations`);
    assert.ok(arrivedAt(path).every(({ headers }) => headers["signalbox-sequence"] === "1"));
    await agent.say(await agent.converse());
    // Longer than the reconciler's grace, twice over.
    await sleep(7_000);
    assert.equal(arrivedAt(path).length, before, "it was called again");
    assert.deepEqual(
      (await agent.deliveries()).filter(({ state }) => state !== "pending"),
      [],
    );
    assert.deepEqual(agent.events(), ["destination_disabled"]);

    replies.delete(path);
    await agent.operator.destinations.enable({ agent_id: agent.agentId, webhook_id: agent.webhookId });
    await agent.settled(CONVERSATIONS * MESSAGES + 1, 30_000);
    const later = arrivedAt(path).slice(before);
    assert.equal(later.length, CONVERSATIONS * MESSAGES + 1, "each message came once");
    for (const order of orders(later)) assert.deepEqual(order, order.length === 1 ? [1] : [1, 2, 3]);
  });

  it("a webhook that answered 410 is enabled by a new URL, and waiting messages go there in order", async () => {
    const agent = await agentAt("/gone-for-good", () => ({ status: 410 }));
    await fill(agent, 4, 2);
    await parked(agent);
    await agent.moveTo(`${bed.receiver.url}/moved-on`);
    await agent.settled(8, 30_000);
    const later = arrivedAt("/moved-on");
    assert.equal(later.length, 8);
    for (const order of orders(later)) assert.deepEqual(order, [1, 2]);
  });

  it("a webhook that answers 410 while its breaker is open is disabled too", async () => {
    let status = 503;
    const path = "/failing-then-gone";
    const agent = await agentAt(path, () => ({ status }));
    await fill(agent, 8, 1);
    await parked(agent);
    assert.equal(await breakerOf(agent), "open");
    status = 410;
    await eventually("it is disabled", async () => (await breakerOf(agent)) === "disabled");
    await parked(agent);
    const before = arrivedAt(path).length;
    await sleep(5_000);
    assert.equal(arrivedAt(path).length, before);
    // Either worker may have told of either.
    assert.deepEqual(agent.events().toSorted(), ["destination_disabled", "destination_failing"]);
  });
});

describe("Retry-After", () => {
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toUTCString();
  const days = 86_400;
  const forms: [what: string, headers: () => Record<string, string>, leastMs: number, mostMs: number][] = [
    ["in seconds", () => ({ "retry-after": "3" }), 3_000, 5_500],
    ["as a date", () => ({ "retry-after": inSeconds(4) }), 2_900, 6_500],
    [
      "as a date of a clock three days ahead",
      () => ({ "retry-after": inSeconds(3 * days + 4), date: inSeconds(3 * days) }),
      2_900,
      6_500,
    ],
    [
      "as a date of a clock three days behind",
      () => ({ "retry-after": inSeconds(4 - 3 * days), date: inSeconds(-3 * days) }),
      2_900,
      6_500,
    ],
    ["in the past", () => ({ "retry-after": inSeconds(-60) }), 400, 2_500],
    ["as zero", () => ({ "retry-after": "0" }), 400, 2_500],
    ["as 1e9", () => ({ "retry-after": "1e9" }), 400, 2_500],
    ["below zero", () => ({ "retry-after": "-5" }), 400, 2_500],
    ["in words", () => ({ "retry-after": "when the moon is full" }), 400, 2_500],
  ];

  for (const status of [429, 503]) {
    it(`Retry-After beside ${status} is respected in every valid form, and in no other`, async () => {
      await Promise.all(
        forms.map(async ([what, headers, leastMs, mostMs], index) => {
          const path = `/retry-after-${status}-${index}`;
          let asked = false;
          const agent = await agentAt(path, () => {
            const isFirst = !asked;
            asked = true;
            return isFirst ? { status, headers: headers() } : undefined;
          });
          await agent.say(await agent.converse());
          await agent.settled(1, 15_000);
          const [first, second] = arrivedAt(path);
          const gapMs = (second?.arrivedAt ?? 0) - (first?.arrivedAt ?? 0);
          assert.ok(gapMs >= leastMs, `${what}: it came again after ${gapMs} ms`);
          atMost(gapMs, mostMs, `${what}: it comes again`);
        }),
      );
    });
  }

  it("Retry-After of a thousand years delays a message for an hour at most", async () => {
    const agent = await agentAt("/retry-after-for-ever", () => ({
      status: 503,
      headers: { "retry-after": "1000000000" },
    }));
    await agent.say(await agent.converse());
    await agent.attempted(1);
    const [row] = await bed.database.query(
      "select extract(epoch from due_at - now())::float8 as seconds from lane where agent_id = $1",
      [agent.agentId],
    );
    const seconds = Number(row?.["seconds"]);
    assert.ok(seconds > 3_500 && seconds <= 3_600, `${seconds} s`);
  });

  it("Retry-After answered to every conversation pauses the whole webhook until then", async () => {
    const path = "/too-many";
    let isBusy = true;
    const agent = await agentAt(path, () =>
      isBusy ? { status: 429, headers: { "retry-after": "6" } } : undefined,
    );
    await fill(agent, 10, 2);
    await eventually("it counts as failing", async () => (await breakerOf(agent)) === "open");
    await sleep(8_000);
    // At the fifth refusal it is known; until six seconds later only those who had not heard it yet may still ask, once each.
    const requests = arrivedAt(path);
    const knownMs = requests[4]?.arrivedAt ?? 0;
    const early = requests.filter(({ arrivedAt: at }) => at < knownMs + 5_900);
    const askers = new Set(early.map(({ body }) => (body as { conversation_id: string }).conversation_id));
    assert.equal(early.length, askers.size, "somebody asked twice");
    assert.ok(requests.length > early.length, "nobody asked again in time");
    isBusy = false;
    await agent.settled(20, 40_000);
    for (const order of orders(arrivedAt(path))) assert.deepEqual(order, [1, 2]);
  });
});

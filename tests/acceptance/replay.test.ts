import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { Replay } from "@signalbox/contract";
import { createClient, SignalboxError } from "@signalbox/sdk";
import type { Client } from "@signalbox/sdk";
import { makeAgentAt } from "@signalbox/tests/support/agent-at.ts";
import type { AgentAt } from "@signalbox/tests/support/agent-at.ts";
import { openBed } from "@signalbox/tests/support/bed.ts";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { ReceivedRequest, Responder } from "@signalbox/tests/support/receiver.ts";

describe("replay", () => {
  let bed: Bed;
  let operator: Client;
  const answers = new Map<string, Responder>();
  before(async () => {
    bed = await openBed({
      apis: 1,
      workers: 1,
      environment: { DELIVERY_RETRY_SECONDS: "0.2", DELIVERY_BLOCKED_SECONDS: "1" },
    });
    operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken, retries: 0 });
    bed.receiver.respond((request) => answers.get(request.path)?.(request));
  });
  after(() => bed[Symbol.asyncDispose]());

  let paths = 0;
  async function newAgent(
    responder: Responder = () => undefined,
  ): Promise<AgentAt & { arrived: () => ReceivedRequest[] }> {
    const path = `/hook-${(paths += 1)}`;
    answers.set(path, responder);
    const agent = await makeAgentAt(bed, bed.receiver.url + path);
    return { ...agent, arrived: () => bed.receiver.requests.filter((request) => request.path === path) };
  }

  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (error: unknown) => (error instanceof SignalboxError ? error.code : error),
    );

  const isReplay = ({ headers }: ReceivedRequest) => headers["signalbox-replay"] === "true";
  const nameOf = ({ headers, bodyBytes }: ReceivedRequest) =>
    `${headers["webhook-id"]} ${headers["signalbox-sequence"]} ${bodyBytes.toString("utf8")}`;

  async function deliveryIds(agent: AgentAt): Promise<string[]> {
    return (await agent.deliveries()).map(({ id }) => id);
  }

  function finished(replay_id: string, timeoutMs = 20_000): Promise<Replay> {
    return eventually(
      "the replay is finished, and all of it arrived",
      async () => {
        const replay = await operator.replays.get({ replay_id });
        if (replay.state !== "finished" || replay.delivered + replay.dead < replay.enqueued)
          throw new Error(JSON.stringify(replay));
        return replay;
      },
      { timeoutMs },
    );
  }

  it("a replay sends a delivered message again, identical except for the replay header", async () => {
    const agent = await newAgent();
    await agent.say(await agent.converse());
    await agent.settled(1);
    const [delivery_id = ""] = await deliveryIds(agent);

    const replay = await operator.deliveries.replay({ delivery_id });
    await agent.settled(2);

    const [first, second] = agent.arrived();
    assert.equal(agent.arrived().length, 2);
    assert.ok(first !== undefined && second !== undefined);
    assert.equal(nameOf(second), nameOf(first));
    assert.equal(first.headers["signalbox-replay"], undefined);
    assert.equal(second.headers["signalbox-replay"], "true");
    assert.equal(replay.replay_of, delivery_id);
    assert.notEqual(replay.delivery_id, delivery_id);
    assert.equal(replay.sequence, 1);
    const detail = await operator.deliveries.get({ delivery_id: replay.delivery_id });
    assert.equal(detail.state, "delivered");
    assert.equal(detail.attempts[0]?.request_headers?.["webhook-id"], delivery_id);
    const original = await operator.deliveries.get({ delivery_id });
    assert.equal(original.attempts.length, 1, "the first delivery's own record stays as it was");

    // A delivery shows what a user said, so the audit has its reads too.
    const { list } = await operator.audit.list({ agent_id: agent.agentId, limit: 3 });
    assert.deepEqual(
      list.map(({ action, subject_id }) => [action, subject_id]),
      [
        ["delivery.read", delivery_id],
        ["delivery.read", replay.delivery_id],
        ["delivery.replay", delivery_id],
      ],
    );
  });

  it("a dead delivery can be replayed, and a replay as the delivery it repeats", async () => {
    let broken = true;
    const agent = await newAgent(() => (broken ? { status: 400 } : undefined));
    await agent.say(await agent.converse());
    const [dead] = await agent.settled(1);
    assert.equal(dead?.state, "dead");
    broken = false;
    const once = await operator.deliveries.replay({ delivery_id: dead?.id ?? "" });
    await agent.settled(2);
    const twice = await operator.deliveries.replay({ delivery_id: once.delivery_id });
    await agent.settled(3);
    assert.equal(twice.replay_of, dead?.id);
    const replays = agent.arrived().filter(isReplay);
    assert.equal(replays.length, 2);
    assert.equal(new Set(agent.arrived().map(nameOf)).size, 1);
  });

  it("a replay of a pending, deleted or undeliverable message is refused", async () => {
    const agent = await newAgent(() => ({ status: 503, headers: { "retry-after": "600" } }));
    await agent.say(await agent.converse());
    await agent.attempted(1);
    const [pending = ""] = await deliveryIds(agent);
    assert.equal(await codeOf(operator.deliveries.replay({ delivery_id: pending })), 40900);
    assert.equal(await codeOf(operator.deliveries.replay({ delivery_id: agent.agentId })), 40401);

    const removed = await newAgent();
    await removed.say(await removed.converse());
    await removed.settled(1);
    await operator.webhooks.delete({ agent_id: removed.agentId });
    const [delivered = ""] = await deliveryIds(removed);
    assert.equal(await codeOf(operator.deliveries.replay({ delivery_id: delivered })), 40900);
    const counted = await operator.replays.start({ filter: { agent_id: removed.agentId }, dry_run: true });
    assert.deepEqual(counted, { replay_id: null, matched: 0 });
  });

  it("a replay runs once per Idempotency-Key", async () => {
    const agent = await newAgent();
    await agent.say(await agent.converse());
    await agent.settled(1);
    const [delivery_id = ""] = await deliveryIds(agent);
    const key = { idempotencyKey: "replay-this-once" };
    const first = await operator.deliveries.replay({ delivery_id }, key);
    assert.deepEqual(await operator.deliveries.replay({ delivery_id }, key), first);
    await agent.settled(2);
    assert.equal((await deliveryIds(agent)).length, 2);
  });

  it("a bulk replay counts matches without sending, then sends them in order at its rate", async () => {
    const agent = await newAgent();
    const other = await newAgent();
    const conversations = await Promise.all(Array.from({ length: 3 }, () => agent.converse()));
    for (let round = 0; round < 5; round += 1)
      await Promise.all(conversations.map((conversation) => agent.say(conversation, `message ${round}`)));
    await other.say(await other.converse());
    await agent.settled(15);
    await other.settled(1);
    const filter = { agent_id: agent.agentId };

    assert.deepEqual(await operator.replays.start({ filter, dry_run: true }), {
      replay_id: null,
      matched: 15,
    });
    assert.equal(agent.arrived().length, 15);

    const begun = performance.now();
    const started = await operator.replays.start({ filter, rate_per_second: 5 });
    assert.equal(started.matched, 15);
    const replay = await finished(started.replay_id ?? "");
    assert.ok(performance.now() - begun >= 2_000, "fifteen at five a second take more than two seconds");
    assert.equal(replay.enqueued, 15);
    assert.equal(replay.delivered, 15);
    assert.equal(replay.dead, 0);
    assert.ok((replay.finish_time ?? 0) >= replay.create_time);

    const [originals, replays] = [
      agent.arrived().filter((request) => !isReplay(request)),
      agent.arrived().filter(isReplay),
    ];
    assert.deepEqual(replays.map(nameOf).toSorted(), originals.map(nameOf).toSorted());
    for (const conversation of conversations) {
      const sequences = replays
        .filter(({ body }) => (body as { conversation_id: string }).conversation_id === conversation)
        .map(({ headers }) => Number(headers["signalbox-sequence"]));
      assert.deepEqual(sequences, [1, 2, 3, 4, 5]);
    }
    assert.equal(other.arrived().filter(isReplay).length, 0);

    const again = await operator.replays.start({ filter, dry_run: true });
    assert.equal(again.matched, 15, "replays are not replayed");
    const { list } = await operator.audit.list({ agent_id: agent.agentId, limit: 1 });
    assert.deepEqual([list[0]?.action, list[0]?.subject_id], ["replay.start", started.replay_id]);
  });

  it("a bulk replay sends only what its filter matches", async () => {
    let broken = true;
    const agent = await newAgent(() => (broken ? { status: 400 } : undefined));
    const [bad, good] = [await agent.converse(), await agent.converse()];
    await agent.say(bad);
    await agent.settled(1);
    broken = false;
    await agent.say(good);
    await agent.settled(2);
    const [dead] = (await agent.deliveries()).filter(({ state }) => state === "dead");
    const filter = { agent_id: agent.agentId, state: "dead", cause: "http_status" } as const;
    const { replay_id, matched } = await operator.replays.start({ filter, rate_per_second: 100 });
    assert.equal(matched, 1);
    await finished(replay_id ?? "");
    assert.deepEqual(
      agent
        .arrived()
        .filter(isReplay)
        .map(({ headers }) => headers["webhook-id"]),
      [dead?.id],
    );
    const nothing = await operator.replays.start({ filter: { ...filter, cause: "timeout" }, dry_run: true });
    assert.equal(nothing.matched, 0);
    const early = await operator.replays.start({
      filter: { ...filter, to_time: 1_700_000_000_000 },
      dry_run: true,
    });
    assert.equal(early.matched, 0);
  });

  it("a stopped bulk replay sends nothing more", async () => {
    const agent = await newAgent();
    const conversation = await agent.converse();
    for (let index = 0; index < 20; index += 1) await agent.say(conversation, `message ${index}`);
    await agent.settled(20);
    const { replay_id } = await operator.replays.start({
      filter: { agent_id: agent.agentId },
      rate_per_second: 2,
    });
    await eventually("the replay has begun", () => agent.arrived().some(isReplay));
    const stopped = await operator.replays.stop({ replay_id: replay_id ?? "" });
    assert.equal(stopped.state, "stopped");
    assert.ok(stopped.enqueued < 20);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    const later = await operator.replays.stop({ replay_id: replay_id ?? "" });
    assert.equal(later.enqueued, stopped.enqueued);
    assert.equal(agent.arrived().filter(isReplay).length, stopped.enqueued);
    assert.equal(await codeOf(operator.replays.get({ replay_id: agent.agentId })), 40401);
  });

  it("a replay never delays a live message", async () => {
    const agent = await newAgent((request) =>
      isReplay(request) ? { status: 404, delayMs: 100 } : undefined,
    );
    const conversation = await agent.converse();
    await agent.say(conversation, "before");
    await agent.settled(1);
    const [delivery_id = ""] = await deliveryIds(agent);
    await operator.deliveries.replay({ delivery_id });
    await eventually("the replay fails", () => agent.arrived().some(isReplay));
    await agent.say(conversation, "after");
    const live = () => agent.arrived().filter((request) => !isReplay(request));
    await eventually("the live message arrives", () => live().length === 2);
    assert.deepEqual(
      live().map(({ headers }) => headers["signalbox-sequence"]),
      ["1", "2"],
    );
    const waiting = await operator.deliveries.list({ agent_id: agent.agentId, state: "pending" });
    // The live one may be among them: that it was answered is written down a moment after.
    assert.ok(
      waiting.list.some(({ replay_of }) => replay_of === delivery_id),
      "and the replay still waits",
    );
    await agent.settled(3);
  });

  it("a bulk replay resumes when its next call was lost", async () => {
    const agent = await newAgent();
    await agent.say(await agent.converse());
    await agent.settled(1);
    const replay_id = randomUUID();
    // As one whose engine lost its disk: only the row knows of it.
    await bed.database.query(
      `insert into replay (id, filter, rate_per_second, matched, next_step_at)
        values ($1, $2, 10, 1, now() - interval '1 minute')`,
      [replay_id, JSON.stringify({ agent_id: agent.agentId, to_time: Date.now() + 60_000 })],
    );
    await finished(replay_id);
    assert.equal(agent.arrived().filter(isReplay).length, 1);
  });

  it("a bulk replay resumes after its worker died and enqueues nothing twice", async () => {
    const agent = await newAgent();
    const conversations = await Promise.all(Array.from({ length: 4 }, () => agent.converse()));
    for (let round = 0; round < 10; round += 1)
      await Promise.all(conversations.map((conversation) => agent.say(conversation, `message ${round}`)));
    await agent.settled(40, 30_000);
    const { replay_id } = await operator.replays.start({
      filter: { agent_id: agent.agentId },
      rate_per_second: 8,
    });
    for (let kill = 0; kill < 2; kill += 1) {
      const seen = agent.arrived().length;
      await eventually("it goes on", () => agent.arrived().length >= seen + 5, { timeoutMs: 20_000 });
      await bed.worker().kill9();
      await bed.worker().start();
    }
    const replay = await finished(replay_id ?? "", 60_000);
    assert.equal(replay.enqueued, 40);
    const rows = await bed.database.query(
      "select count(*)::integer as made, count(distinct replay_of)::integer as different from delivery where replay_id = $1",
      [replay_id],
    );
    assert.deepEqual(rows, [{ made: 40, different: 40 }]);
    assert.equal(new Set(agent.arrived().filter(isReplay).map(nameOf)).size, 40);
  });
});

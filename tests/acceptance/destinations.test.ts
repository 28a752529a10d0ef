import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { DestinationState } from "@signalbox/contract";
import { createClient, SignalboxError } from "@signalbox/sdk";
import type { Client } from "@signalbox/sdk";
import { makeAgentAt } from "@signalbox/tests/support/agent-at.ts";
import type { AgentAt } from "@signalbox/tests/support/agent-at.ts";
import { openBed } from "@signalbox/tests/support/bed.ts";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { ReceivedRequest, Responder } from "@signalbox/tests/support/receiver.ts";

const LANES = 6;

describe("destinations", () => {
  let bed: Bed;
  let operator: Client;
  const answers = new Map<string, Responder>();
  before(async () => {
    // Long enough that it is not the reconciler who does what is tested, but for the one test that is about it.
    bed = await openBed({ apis: 1, workers: 1, environment: { RECONCILE_GRACE_SECONDS: "25" } });
    operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken, retries: 0 });
    bed.receiver.respond((request) => answers.get(request.path)?.(request));
  });
  after(() => bed[Symbol.asyncDispose]());

  let paths = 0;
  function newPath(responder: Responder = () => undefined): string {
    const path = `/path-${(paths += 1)}`;
    answers.set(path, responder);
    return path;
  }

  const at = (path: string) => bed.receiver.requests.filter((request) => request.path === path);
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      (error: unknown) => (error instanceof SignalboxError ? error.code : error),
    );

  async function stateOf({ agentId, webhookId }: AgentAt): Promise<DestinationState> {
    const { list } = await operator.destinations.list({ agent_id: agentId });
    const state = list.find(({ webhook_id }) => webhook_id === webhookId);
    assert.ok(state !== undefined);
    return state;
  }

  /** Two messages in each of several conversations, all of which wait for a developer who gives this answer. */
  async function parkedAgent(path: string): Promise<AgentAt> {
    const agent = await makeAgentAt(bed, bed.receiver.url + path);
    const conversations = await Promise.all(Array.from({ length: LANES }, () => agent.converse()));
    for (const text of ["first", "second"])
      await Promise.all(conversations.map((conversation) => agent.say(conversation, text)));
    await eventually(
      "its lanes are parked",
      async () => {
        const state = await stateOf(agent);
        return (
          state.breaker !== "closed" &&
          state.lanes_parked >= LANES - 1 &&
          (await agent.deliveries()).length === 2 * LANES
        );
      },
      { timeoutMs: 30_000 },
    );
    return agent;
  }

  function inOrder(requests: ReceivedRequest[]): boolean {
    const last = new Map<string, number>();
    return requests.every(({ body, headers }) => {
      const { conversation_id } = body as { conversation_id: string };
      const sequence = Number(headers["signalbox-sequence"]);
      const isNext = sequence === (last.get(conversation_id) ?? 0) + 1;
      last.set(conversation_id, sequence);
      return isNext;
    });
  }

  it("every destination is listed with its health, healthy ones included", async () => {
    const agent = await makeAgentAt(bed, bed.receiver.url + newPath());
    await operator.desks.create({
      agent_id: agent.agentId,
      name: "Desk",
      url: `${bed.receiver.url}/desk`,
    });
    const { list } = await operator.destinations.list({ agent_id: agent.agentId });
    assert.deepEqual(
      list.map(
        ({
          kind,
          name,
          breaker,
          since_time,
          tries,
          next_try_time,
          lanes_parked,
          lanes_retrying,
          oldest_waiting_time,
        }) => [
          kind,
          name,
          breaker,
          since_time,
          tries,
          next_try_time,
          lanes_parked,
          lanes_retrying,
          oldest_waiting_time,
        ],
      ),
      [
        ["human_service", "Desk", "closed", null, 0, null, 0, 0, null],
        ["message", null, "closed", null, 0, null, 0, 0, null],
      ],
    );
    const all = await operator.destinations.list({ limit: 1 });
    assert.equal(all.list.length, 1);
    assert.ok(all.next_cursor !== null);
  });

  it("a destination that refuses what it is sent is listed with the conversations that are retried, until it takes it", async () => {
    const path = newPath(() => ({ status: 401 }));
    const agent = await makeAgentAt(bed, bed.receiver.url + path);
    await agent.say(await agent.converse());
    const refused = await eventually("it was refused", async () => {
      const state = await stateOf(agent);
      return state.lanes_retrying === 1 && state;
    });
    assert.equal(refused.breaker, "closed");
    answers.set(path, () => undefined);
    await eventually("it was taken", async () => (await stateOf(agent)).lanes_retrying === 0, {
      timeoutMs: 30_000,
    });
  });

  it("a destination that is down is shown with since when, how often it was tried, and what waits for it", async () => {
    const begun = Date.now();
    const agent = await parkedAgent(newPath(() => ({ status: 503 })));
    const state = await stateOf(agent);
    assert.equal(state.breaker, "open");
    assert.ok((state.since_time ?? 0) >= begun - 1_000);
    assert.ok((state.next_try_time ?? 0) > begun);
    assert.ok((state.oldest_waiting_time ?? 0) >= begun - 1_000);
    await eventually("it was tried again", async () => (await stateOf(agent)).tries >= 2, {
      timeoutMs: 20_000,
    });
    assert.equal(
      await codeOf(operator.destinations.enable({ agent_id: agent.agentId, webhook_id: agent.webhookId })),
      40900,
      "one that is down is tried anyway",
    );
    await operator.agents.delete({ agent_id: agent.agentId });
  });

  it("a destination that answered 410 is sent nothing until an operator enables it, and then everything in order", async () => {
    let gone = true;
    const path = newPath(() => (gone ? { status: 410 } : undefined));
    const agent = await parkedAgent(path);
    const identity = { agent_id: agent.agentId, webhook_id: agent.webhookId };
    assert.equal((await stateOf(agent)).breaker, "disabled");
    gone = false;
    const before = at(path).length;
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    assert.equal(at(path).length, before, "nothing is tried meanwhile");

    assert.equal((await operator.destinations.enable(identity)).breaker, "closed");
    const settled = await agent.settled(2 * LANES, 30_000);
    assert.ok(settled.every(({ state }) => state === "delivered"));
    assert.ok(inOrder(at(path).slice(before)));
    assert.equal((await stateOf(agent)).lanes_parked, 0);
    assert.equal(
      (await operator.destinations.enable(identity)).breaker,
      "closed",
      "enabling twice is no mistake",
    );
    const { list } = await operator.audit.list({ agent_id: agent.agentId, limit: 1 });
    assert.deepEqual([list[0]?.action, list[0]?.subject_id], ["destination.enable", agent.webhookId]);
    assert.equal(
      await codeOf(operator.destinations.enable({ ...identity, webhook_id: agent.agentId })),
      40401,
    );
  });

  it("a destination disabled by 410 gets what waited once its URL changes", async () => {
    const agent = await parkedAgent(newPath(() => ({ status: 410 })));
    const path = newPath();
    await agent.moveTo(bed.receiver.url + path);
    const settled = await agent.settled(2 * LANES);
    assert.ok(settled.every(({ state }) => state === "delivered"));
    assert.ok(inOrder(at(path)));
  });

  for (const status of [503, 410]) {
    it(`no message waits when its webhook is deleted (${status})`, async () => {
      const agent = await parkedAgent(newPath(() => ({ status })));
      await operator.webhooks.delete({ agent_id: agent.agentId });
      const settled = await agent.settled(2 * LANES);
      assert.deepEqual(
        settled.map(({ state, cause }) => `${state} ${cause}`),
        Array.from({ length: 2 * LANES }, () => "dead no_destination"),
      );
    });
  }

  it("no message waits when its agent is deleted", async () => {
    const agent = await parkedAgent(newPath(() => ({ status: 410 })));
    await operator.agents.delete({ agent_id: agent.agentId });
    const settled = await agent.settled(2 * LANES);
    assert.ok(settled.every(({ state, cause }) => state === "dead" && cause === "no_destination"));
  });

  it("no message waits when its webhook is deleted without a call to the engine", async () => {
    const agent = await parkedAgent(newPath(() => ({ status: 410 })));
    // As a process that dies between its commit and its call: only the reconciler can know.
    await bed.database.query("update webhook set deleted_at = now() where id = $1", [agent.webhookId]);
    await bed.database.query("update lane set parked_at = now() - interval '1 hour' where agent_id = $1", [
      agent.agentId,
    ]);
    const settled = await agent.settled(2 * LANES, 20_000);
    assert.ok(settled.every(({ state, cause }) => state === "dead" && cause === "no_destination"));
  });
});

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { refusal } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { makeDesk } from "../support/desk.ts";
import { bearer, JSON_TYPE, sendRequest } from "../support/wire.ts";

const HOURS = { question: "When do you open?", answer: "At nine." };

describe("4.10 human closes conversation", { concurrency: 4 }, () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed();
  });
  after(() => bed[Symbol.asyncDispose]());

  const post = (body: object, headers: Record<string, string> = {}) =>
    sendRequest(bed.baseUrl, {
      method: "POST",
      path: "/v1/human/close",
      headers: { ...JSON_TYPE, ...headers },
      body: JSON.stringify(body),
    });

  async function closeWithout(_: "key", conversation_id: string): Promise<[number, number | undefined]> {
    const { status, body } = await post({ conversation_id, timestamp: Date.now() });
    return [status, (body as { code?: number }).code];
  }

  it("4.10 returns the id and the time of the close and nothing else, and the same when closed already", async () => {
    const desk = await makeDesk(bed);
    const conversationId = await desk.converse();
    const handoffId = await desk.connect(conversationId);
    const first = await desk.close(handoffId);
    assert.deepEqual(Object.keys(first), ["conversation_id", "timestamp"]);
    assert.equal(first.conversation_id, handoffId);
    assert.ok(Math.abs(Date.now() - first.timestamp) < 60_000);
    await sleep(20);
    assert.deepEqual(await desk.close(handoffId), first);
    const left = await desk.connect(conversationId);
    await desk.agent.client.handoffs.leave({ conversation_id: conversationId });
    assert.equal((await desk.close(left)).conversation_id, left);
  });

  it("4.10 is at POST /v1/human/close", async () => {
    const desk = await makeDesk(bed);
    const conversationId = await desk.converse();
    const handoffId = await desk.connect(conversationId);
    const answer = await fetch(`${bed.baseUrl}/v1/human/close`, {
      method: "POST",
      headers: { authorization: `Bearer ${desk.agent.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ conversation_id: handoffId, timestamp: Date.now() }),
    });
    assert.equal(answer.status, 200);
    const body = (await answer.json()) as { conversation_id: string; timestamp: number };
    assert.deepEqual(Object.keys(body), ["conversation_id", "timestamp"]);
    assert.equal(body.conversation_id, handoffId);
    const { handoff } = await desk.agent.client.handoffs.get({ conversation_id: conversationId });
    assert.deepEqual([handoff?.state, handoff?.reason], ["closed", "human_closed"]);
  });

  it("4.10 sends the desk no close, and the agent answers what the desk had not received", async () => {
    const desk = await makeDesk(bed, { agent: { qaList: [HOURS] } });
    const conversationId = await desk.converse();
    const handoffId = await desk.connect(conversationId);
    const gate = Promise.withResolvers<undefined>();
    desk.answer("chat", () => gate.promise);
    await desk.agent.ask(conversationId, "When do you open?");
    await desk.arrived("chat");
    await desk.close(handoffId);
    assert.equal((await desk.toldAll(3)).at(-1), "ai: At nine.");
    gate.resolve(undefined);
    await sleep(500);
    assert.deepEqual(desk.story(), ["establish", "chat When do you open?"]);
  });

  it("4.10 does not make the agent answer what the human has received", async () => {
    const desk = await makeDesk(bed, { agent: { qaList: [HOURS] } });
    const conversationId = await desk.converse();
    const handoffId = await desk.connect(conversationId);
    await desk.reply(handoffId, "Hello");
    await desk.agent.ask(conversationId, "When do you open?");
    await desk.isIn(conversationId, "active");
    await desk.arrived("chat");
    await sleep(300);
    await desk.close(handoffId);
    const told = await desk.toldAll(3);
    await sleep(500);
    assert.deepEqual(desk.told(), told);
    assert.equal(told.filter((text) => text.startsWith("ai")).length, 0);
  });

  it("4.10 closes a handoff that the desk has not yet acknowledged", async () => {
    const desk = await makeDesk(bed, { agent: { qaList: [HOURS] } });
    const conversationId = await desk.converse();
    const gate = Promise.withResolvers<undefined>();
    desk.answer("establish", () => gate.promise);
    const handoffId = await desk.request(conversationId);
    await desk.arrived("establish");
    await desk.agent.ask(conversationId, "When do you open?");
    await desk.close(handoffId);
    gate.resolve(undefined);
    assert.deepEqual((await desk.toldAll(2)).at(-1), "ai: At nine.");
    await sleep(300);
    assert.deepEqual(desk.story(), ["establish"]);
    const { handoff } = await desk.agent.client.handoffs.get({ conversation_id: conversationId });
    assert.equal(handoff?.reason, "human_closed");
  });

  it("4.10 accepts only a key of the handoff's own agent, and another's id looks unknown", async () => {
    const [desk, stranger] = [await makeDesk(bed), await makeDesk(bed)];
    const conversationId = await desk.converse();
    const handoffId = await desk.connect(conversationId);
    const unknown = await refusal(stranger.close(crypto.randomUUID()));
    assert.deepEqual([unknown.status, unknown.code], [403, 40356]);
    for (const id of [handoffId, conversationId])
      assert.deepEqual(await refusal(stranger.close(id)), unknown, "with a stranger's key");
    assert.deepEqual(await closeWithout("key", handoffId), [401, 40127]);
    const { handoff } = await desk.agent.client.handoffs.get({ conversation_id: conversationId });
    assert.equal(handoff?.state, "connecting", "nobody closed it");
  });

  it("4.10 needs no key where the component allows it, for its own handoffs only", async () => {
    const desk = await makeDesk(bed, { component: { allow_unauthenticated_replies: true } });
    const conversationId = await desk.converse();
    const handoffId = await desk.connect(conversationId);
    assert.deepEqual(await closeWithout("key", conversationId), [401, 40127], "users know this id");
    assert.deepEqual(await closeWithout("key", crypto.randomUUID()), [401, 40127]);
    assert.deepEqual(await closeWithout("key", handoffId), [200, undefined]);
    const { handoff } = await desk.agent.client.handoffs.get({ conversation_id: conversationId });
    assert.equal(handoff?.reason, "human_closed");
  });

  it("4.10 requires conversation_id and timestamp", async () => {
    const desk = await makeDesk(bed);
    const handoffId = await desk.connect(await desk.converse());
    const whole = { conversation_id: handoffId, timestamp: Date.now() };
    for (const field of ["conversation_id", "timestamp"]) {
      const answer = await post({ ...whole, [field]: undefined }, bearer(desk.agent.apiKey));
      assert.deepEqual(answer.body, { code: 40000, message: `Parameter error: ${field} is required` });
    }
  });

  it("4.10 refuses an id that is neither a handoff's nor a conversation's with 40356", async () => {
    const desk = await makeDesk(bed);
    const untouched = await desk.converse();
    for (const id of [untouched, crypto.randomUUID()])
      assert.equal((await refusal(desk.close(id))).code, 40356);
  });
});

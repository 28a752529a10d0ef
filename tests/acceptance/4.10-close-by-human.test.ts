import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { refusal } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { makeDesk } from "../support/desk.ts";

const HOURS = { question: "When do you open?", answer: "At nine." };

describe("4.10 human closes conversation", { concurrency: 4 }, () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed();
  });
  after(() => bed[Symbol.asyncDispose]());

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
    await desk.agent.client.leaveHandoff({ conversation_id: conversationId });
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
    const { handoff } = await desk.agent.client.getHandoff({ conversation_id: conversationId });
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
    const { handoff } = await desk.agent.client.getHandoff({ conversation_id: conversationId });
    assert.equal(handoff?.reason, "human_closed");
  });

  it("4.10 refuses any id but a handoff's own with 40356", async () => {
    const desk = await makeDesk(bed);
    const conversationId = await desk.converse();
    await desk.connect(conversationId);
    for (const id of [conversationId, crypto.randomUUID()])
      assert.equal((await refusal(desk.close(id))).code, 40356);
  });
});

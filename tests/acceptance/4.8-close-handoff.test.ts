import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { CloseHandoff } from "@signalbox/contract";
import { operatorOf } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { makeDesk } from "../support/desk.ts";
import { atMost } from "../support/machine.ts";
import { eventually, freePort } from "../support/processes.ts";

const HOURS = { question: "When do you open?", answer: "At nine." };
const timer = (seconds: number, warn_seconds = 0) => ({ seconds, warn_seconds });

describe("4.8 close handoff", { concurrency: 4 }, () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed();
  });
  after(() => bed[Symbol.asyncDispose]());

  it("4.8 is sent once as USER_CLOSED when the user leaves, after everything the user wrote", async () => {
    const desk = await makeDesk(bed);
    const conversationId = await desk.converse();
    const handoffId = await desk.connect(conversationId);
    await desk.agent.ask(conversationId, "bye");
    const left = await desk.agent.client.handoffs.leave({ conversation_id: conversationId });
    assert.deepEqual([left.control, left.handoff?.reason], ["bot", "user_closed"]);
    await desk.agent.client.handoffs.leave({ conversation_id: conversationId });
    const { body, headers } = await desk.arrived("close");
    const { timestamp, ...rest } = CloseHandoff.parse(body);
    assert.deepEqual(rest, { conversation_id: handoffId, type: "USER_CLOSED" });
    assert.ok(Math.abs(Date.now() - timestamp) < 60_000);
    assert.equal(headers["signalbox-event"], "handoff_closed");
    await sleep(500);
    assert.deepEqual(desk.story(), ["establish", "chat bye", "close USER_CLOSED"]);
  });

  it("4.8 is repeated with the same id until the desk answers 200, whatever code its body has", async () => {
    const desk = await makeDesk(bed);
    const conversationId = await desk.converse();
    await desk.connect(conversationId);
    const answers = [
      { status: 500, body: { code: 0, message: "OK" } },
      { status: 200, body: { code: 7, message: "done" } },
    ];
    desk.answer("close", () => answers.shift());
    await desk.agent.client.handoffs.leave({ conversation_id: conversationId });
    await desk.arrived("close", 2);
    await sleep(1_500);
    const closes = desk.calls().filter(({ call }) => call === "close");
    assert.equal(closes.length, 2, "HTTP 200 ends it");
    assert.equal(new Set(closes.map(({ request }) => request.headers["webhook-id"])).size, 1);
    assert.deepEqual(closes[1]?.request.body, closes[0]?.request.body);
  });

  it("4.8 follows the request when the user leaves before the desk acknowledged", async () => {
    const desk = await makeDesk(bed);
    const conversationId = await desk.converse();
    const gate = Promise.withResolvers<undefined>();
    desk.answer("establish", () => gate.promise);
    await desk.request(conversationId);
    await desk.arrived("establish");
    await desk.agent.ask(conversationId, "hello?");
    await desk.agent.client.handoffs.leave({ conversation_id: conversationId });
    gate.resolve(undefined);
    await desk.arrived("close");
    assert.deepEqual(desk.story(), ["establish", "close USER_CLOSED"]);
    assert.deepEqual(await desk.toldAll(1), [
      "system: You've ended the chat with our team. I'm here if you need anything else.",
    ]);
  });

  it("4.8 is not sent to a desk the request never reached, and is given up with the same cause", async () => {
    const desk = await makeDesk(bed, { component: { url: `http://127.0.0.1:${await freePort()}` } });
    const leaveAtOnce = async () => {
      const conversationId = await desk.converse();
      await desk.request(conversationId);
      return desk.agent.client.handoffs.leave({ conversation_id: conversationId });
    };
    let { handoff } = await leaveAtOnce();
    // On a busy machine the three tries may be over before the user has left.
    for (let tries = 1; handoff?.reason !== "user_closed" && tries < 5; tries += 1)
      ({ handoff } = await leaveAtOnce());
    assert.equal(handoff?.reason, "user_closed");
    const closes = async () => {
      const { list } = await operatorOf(bed).deliveries.list({ webhook_id: desk.componentId, state: "dead" });
      return list.filter(({ event }) => event === "handoff_closed");
    };
    await eventually("the close is given up", async () => (await closes()).length === 1);
    const [close] = await closes();
    assert.deepEqual([close?.cause, close?.attempt_count], ["connect_refused", 0]);
  });

  it("4.8 is sent as TIMEOUT without a first reply in time, and the user is warned, notified and back with the agent", async () => {
    const desk = await makeDesk(bed, {
      agent: { qaList: [HOURS] },
      settings: { timers: { first_reply: timer(4, 3), human_idle: timer(60), user_idle: timer(60) } },
    });
    const conversationId = await desk.converse();
    const begun = performance.now();
    await desk.connect(conversationId);
    await desk.arrived("close");
    const elapsedMs = performance.now() - begun;
    assert.ok(elapsedMs > 3_900, `${elapsedMs} ms`);
    atMost(elapsedMs, 9_000, "a timer of 4 s fires");
    assert.deepEqual((await desk.toldAll(3)).slice(1), [
      "system: I'm still looking for someone who can help. Thanks for your patience.",
      "system: Sorry, no one on our team could join in time. I'll keep helping you in the meantime.",
    ]);
    assert.deepEqual(desk.story(), ["establish", "close TIMEOUT"]);
    await desk.agent.ask(conversationId, "When do you open?");
    assert.equal((await desk.toldAll(4)).at(-1), "ai: At nine.");
  });

  it("4.8 is sent as TIMEOUT when the human is silent, counted from delivery of the user's message", async () => {
    const desk = await makeDesk(bed, {
      settings: { timers: { first_reply: timer(60), human_idle: timer(2), user_idle: timer(60) } },
    });
    const conversationId = await desk.converse();
    const handoffId = await desk.connect(conversationId);
    await desk.reply(handoffId, "Hello");
    let answeredAt = 0;
    desk.answer("chat", async () => {
      await sleep(1_500);
      answeredAt = performance.now();
      return undefined;
    });
    await desk.agent.ask(conversationId, "Are you there?");
    const { arrivedAt } = await desk.arrived("close");
    assert.ok(arrivedAt - answeredAt > 1_900, `${arrivedAt - answeredAt} ms after the delivery`);
    const { handoff } = await desk.agent.client.handoffs.get({ conversation_id: conversationId });
    assert.equal(handoff?.reason, "human_idle");
  });

  it("4.8 is sent as TIMEOUT when the user is silent", async () => {
    const desk = await makeDesk(bed, {
      settings: { timers: { first_reply: timer(60), human_idle: timer(60), user_idle: timer(4, 3) } },
    });
    const conversationId = await desk.converse();
    const handoffId = await desk.connect(conversationId);
    await desk.reply(handoffId, "Hello");
    await desk.arrived("close");
    const told = await desk.toldAll(4);
    assert.match(told[2] ?? "", /Are you still there/);
    assert.match(told[3] ?? "", /We haven.t heard from you/);
    assert.deepEqual(desk.story(), ["establish", "close TIMEOUT"]);
  });

  it("4.8 is sent once, and the user notified once, when both sides and the timer end it together", async () => {
    const desk = await makeDesk(bed, {
      settings: { timers: { first_reply: timer(60), human_idle: timer(60), user_idle: timer(1) } },
    });
    for (let round = 0; round < 5; round += 1) {
      const conversationId = await desk.converse();
      const handoffId = await desk.connect(conversationId);
      await desk.reply(handoffId, "Hello");
      const before = desk.told().length;
      await sleep(900 + round * 50);
      await Promise.all([
        desk.agent.client.handoffs.leave({ conversation_id: conversationId }),
        desk.close(handoffId),
        desk.agent.client.handoffs.leave({ conversation_id: conversationId }),
      ]);
      await desk.toldAll(before + 1);
      await sleep(400);
      const closes = desk.calls().filter((call) => call.call === "close" && call.handoffId === handoffId);
      assert.ok(closes.length <= 1, JSON.stringify(desk.story()));
      const { handoff } = await desk.agent.client.handoffs.get({ conversation_id: conversationId });
      assert.equal(closes.length, handoff?.reason === "human_closed" ? 0 : 1, handoff?.reason ?? "");
    }
  });

  it("handoff notices are in the agent's own words and language, or turned off", async () => {
    const desk = await makeDesk(bed, {
      agent: { language: "zh-CN" },
      settings: { notices: { connecting: { "zh-CN": "马上就来" }, user_closed: { "zh-CN": null } } },
    });
    const conversationId = await desk.converse();
    const handoffId = await desk.connect(conversationId);
    await desk.agent.client.handoffs.leave({ conversation_id: conversationId });
    await desk.arrived("close");
    const second = await desk.connect(conversationId);
    await desk.close(second);
    assert.notEqual(handoffId, second);
    const told = await desk.toldAll(3);
    assert.deepEqual(told.slice(0, 2), ["system: 马上就来", "system: 马上就来"]);
    assert.match(told[2] ?? "", /人工服务已结束/);
  });
});

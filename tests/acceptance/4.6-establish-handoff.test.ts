import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { EstablishHandoff } from "@signalbox/contract";
import { Webhook } from "standardwebhooks";
import { operatorOf, refusal } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { makeDesk, type Desk } from "../support/desk.ts";
import { eventually } from "../support/processes.ts";
import { atMost } from "../support/machine.ts";

const HOURS = { question: "When do you open?", answer: "At nine." };
const CONNECTING = "system: I'm connecting you with someone from our team. One moment, please.";
const BUSY = "system: Everyone on our team is busy right now. I'll keep helping you in the meantime.";

describe("4.6 establish handoff", { concurrency: 4 }, () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed();
  });
  after(() => bed[Symbol.asyncDispose]());

  it("a handoff goes from request over chat and reply to close, each side in order", async () => {
    const desk = await makeDesk(bed, { agent: { qaList: [HOURS] } });
    const conversationId = await desk.converse();
    await desk.agent.ask(conversationId, "When do you open?");
    await desk.toldAll(1);
    const handoffId = await desk.connect(conversationId);
    await desk.agent.ask(conversationId, "Is Saturday possible?");
    await desk.arrived("chat");
    await desk.reply(handoffId, "Yes, until noon.");
    await desk.isIn(conversationId, "active");
    await desk.agent.ask(conversationId, "Thank you");
    await desk.arrived("chat", 2);
    // Once its answer is recorded the desk has heard it, and the bot has nothing to answer.
    await eventually("the human's time runs", async () => {
      const { handoff } = await desk.agent.client.handoffs.get({ conversation_id: conversationId });
      return handoff?.timer?.kind === "human_idle";
    });
    await desk.close(handoffId);
    assert.deepEqual(await desk.toldAll(4), [
      "ai: At nine.",
      CONNECTING,
      "human: Yes, until noon.",
      "system: Your chat with our team has ended. I'm here if you need anything else.",
    ]);
    await desk.agent.ask(conversationId, "When do you open?");
    assert.equal((await desk.toldAll(5)).at(-1), "ai: At nine.");
    assert.deepEqual(desk.story(), ["establish", "chat Is Saturday possible?", "chat Thank you"]);
    assert.deepEqual(new Set(desk.calls().map((call) => call.handoffId)), new Set([handoffId]));
    assert.notEqual(handoffId, conversationId);
  });

  it("4.6 carries exactly the fields of the specification, with transcript and user", async () => {
    const desk = await makeDesk(bed, {
      agent: { qaList: [HOURS] },
      component: { username: "desk", secret: "s3cret" },
    });
    const conversationId = await desk.agent.converse({
      user_id: "user-7",
      anonymous_id: "widget:abc",
      email: "u@example.com",
      phone: "+49 30 1",
    });
    await desk.agent.ask(conversationId, "When do you open?");
    await desk.toldAll(1);
    const handoffId = await desk.connect(conversationId);
    const { body, headers } = await desk.arrived("establish");
    const { timestamp, ...rest } = EstablishHandoff.parse(body);
    assert.ok(Math.abs(Date.now() - timestamp) < 60_000);
    assert.deepEqual(rest, {
      conversation_id: handoffId,
      email: "u@example.com",
      bot_id: desk.agent.agentId,
      body: [
        { text: "When do you open?", message_type: "QUESTION" },
        { text: "At nine.", message_type: "ANSWER" },
      ],
      user_info: {
        phone: "+49 30 1",
        email: "u@example.com",
        user_id: "user-7",
        anonymous_id: "widget:abc",
      },
    });
    assert.equal(headers["authorization"], `Basic ${Buffer.from("desk:s3cret").toString("base64")}`);
    assert.equal(headers["signalbox-event"], "handoff_requested");
    assert.equal(headers["signalbox-conversation"], conversationId);
  });

  it("4.6 carries what an earlier human said as ANSWER, like what the agent said", async () => {
    const desk = await makeDesk(bed, { agent: { qaList: [HOURS] } });
    const conversationId = await desk.converse();
    const first = await desk.connect(conversationId);
    await desk.agent.ask(conversationId, "Is it blue?");
    await desk.arrived("chat");
    await desk.reply(first, "Yes, it is.");
    await desk.close(first);
    await desk.connect(conversationId);
    const { body } = EstablishHandoff.parse((await desk.arrived("establish", 2)).body);
    assert.deepEqual(
      body.filter(({ text }) => ["Is it blue?", "Yes, it is."].includes(text)),
      [
        { text: "Is it blue?", message_type: "QUESTION" },
        { text: "Yes, it is.", message_type: "ANSWER" },
      ],
    );
  });

  it("4.6 is signed with the component's own secret", async () => {
    const desk = await makeDesk(bed);
    const { signing_secret, component_id } = await operatorOf(bed).desks.create({
      agent_id: desk.agent.agentId,
      name: "Second",
      url: `${bed.receiver.url}/second/${desk.agent.agentId}`,
      rule: { priority: 1 },
    });
    const conversationId = await desk.converse();
    await desk.request(conversationId);
    const path = `/second/${desk.agent.agentId}/conversation/establish`;
    const request = await bed.receiver.waitFor((one) => one.path === path);
    new Webhook(signing_secret ?? "").verify(
      request.bodyBytes.toString("utf8"),
      request.headers as Record<string, string>,
    );
    const { handoff } = await desk.agent.client.handoffs.get({ conversation_id: conversationId });
    assert.equal(handoff?.component_id, component_id);
    assert.deepEqual(desk.calls(), []);
  });

  it("4.6 moves control before the desk is called, and the agent's pending reply is dropped", async () => {
    const desk = await makeDesk(bed, { agent: { qaList: [HOURS] } });
    const conversationId = await desk.converse();
    const gate = Promise.withResolvers<undefined>();
    desk.answer("establish", () => gate.promise);
    await desk.request(conversationId);
    await desk.arrived("establish");
    const { control, handoff } = await desk.agent.client.handoffs.get({ conversation_id: conversationId });
    assert.deepEqual([control, handoff?.state], ["human", "requested"]);
    await desk.agent.ask(conversationId, "When do you open?");
    await sleep(1_000);
    assert.deepEqual(desk.told(), []);
    gate.resolve(undefined);
    await desk.arrived("chat");
    assert.deepEqual(await desk.toldAll(1), [CONNECTING]);
    assert.deepEqual(desk.story(), ["establish", "chat When do you open?"]);
  });

  it("messages written before the desk acknowledged are held and then sent in order", async () => {
    const desk = await makeDesk(bed);
    const conversationId = await desk.converse();
    const gate = Promise.withResolvers<undefined>();
    desk.answer("establish", () => gate.promise);
    await desk.request(conversationId);
    await desk.arrived("establish");
    for (const text of ["one", "two", "three"]) await desk.agent.ask(conversationId, text);
    await sleep(500);
    assert.deepEqual(desk.story(), ["establish"]);
    gate.resolve(undefined);
    await desk.arrived("chat", 3);
    await desk.agent.ask(conversationId, "four");
    await desk.arrived("chat", 4);
    assert.deepEqual(desk.story(), ["establish", "chat one", "chat two", "chat three", "chat four"]);
  });

  it("a handoff refused three times within ten seconds is busy: the agent has control and answers what waited", async () => {
    const desk = await makeDesk(bed, { agent: { qaList: [HOURS] } });
    const conversationId = await desk.converse();
    desk.answer("establish", () => ({ status: 503 }));
    const begun = performance.now();
    await desk.request(conversationId);
    await desk.agent.ask(conversationId, "When do you open?");
    assert.deepEqual(await desk.toldAll(2), [BUSY, "ai: At nine."]);
    atMost(performance.now() - begun, 10_000, "three refusals");
    assert.deepEqual(desk.attempts(), ["establish", "establish", "establish"]);
    assert.equal(new Set(desk.calls().map(({ request }) => request.headers["webhook-id"])).size, 1);
    const { control, handoff } = await desk.agent.client.handoffs.get({ conversation_id: conversationId });
    assert.deepEqual([control, handoff?.state, handoff?.reason], ["bot", "busy", "refused"]);
  });

  it("4.6 uses the component's own number of attempts and timeout", async () => {
    const component = { establish_timeout_seconds: 1, establish_tries: 2 };
    const desk = await makeDesk(bed, { component });
    desk.answer("establish", () => new Promise(() => undefined));
    const conversationId = await desk.converse();
    await desk.request(conversationId);
    await desk.isIn(conversationId, "busy");
    assert.equal(desk.attempts().filter((call) => call === "establish").length, 2);
    const { list } = await operatorOf(bed).deliveries.list({
      agent_id: desk.agent.agentId,
      event: "handoff_requested",
    });
    const { attempts } = await operatorOf(bed).deliveries.get({ delivery_id: list[0]?.delivery_id ?? "" });
    for (const { duration_ms, cause } of attempts)
      assert.ok(cause === "timeout" && duration_ms >= 990 && duration_ms < 2_900, `${cause} ${duration_ms}`);
  });

  it("a human has five minutes for the first reply, or what the component says", async () => {
    const dueIn = async (desk: Desk) => {
      const conversation_id = await desk.converse();
      await desk.connect(conversation_id);
      const { handoff } = await desk.agent.client.handoffs.get({ conversation_id });
      assert.equal(handoff?.timer?.kind, "first_reply");
      return (handoff.timer.due_time - handoff.request_time) / 1000;
    };
    const shipped = await dueIn(await makeDesk(bed));
    assert.ok(shipped >= 300 && shipped < 330, `${shipped} s`);
    const first_reply = { seconds: 900, warn_seconds: [600, 60] };
    const patient = await dueIn(await makeDesk(bed, { component: { first_reply } }));
    assert.ok(patient >= 900 && patient < 930, `${patient} s`);
  });

  it("a handoff whose answer is lost every time is busy, and the desk that may have taken it is sent a close", async () => {
    const desk = await makeDesk(bed);
    const conversationId = await desk.converse();
    desk.answer("establish", () => ({ destroySocket: true }));
    await desk.request(conversationId);
    await desk.isIn(conversationId, "busy");
    await desk.arrived("close");
    assert.deepEqual(desk.attempts(), ["establish", "establish", "establish", "close TIMEOUT"]);
    assert.deepEqual(await desk.toldAll(1), [BUSY]);
  });

  it("a handoff answered with 201, 202 or 204 is busy, and the desk that has most likely taken it is sent a close", async () => {
    await Promise.all(
      [201, 202, 204].map(async (status) => {
        const desk = await makeDesk(bed, { component: { establish_tries: 1 } });
        const conversationId = await desk.converse();
        desk.answer("establish", () => (status === 204 ? { status, body: "" } : { status }));
        await desk.request(conversationId);
        await desk.isIn(conversationId, "busy");
        await desk.arrived("close");
        assert.deepEqual(desk.attempts(), ["establish", "close TIMEOUT"]);
        assert.deepEqual(await desk.toldAll(1), [BUSY]);
      }),
    );
  });

  it("a handoff is busy at once while the desk's breaker is open", async () => {
    const desk = await makeDesk(bed);
    await bed.database.query(
      `insert into destination (id, agent_id, url, breaker, next_try_at)
       select id, agent_id, url, 'open', now() + interval '1 hour' from webhook where id = $1`,
      [desk.componentId],
    );
    const conversationId = await desk.converse();
    await desk.request(conversationId);
    assert.deepEqual(await desk.toldAll(1, 5_000), [BUSY]);
    assert.deepEqual(desk.story(), []);
    const { list } = await operatorOf(bed).deliveries.list({
      agent_id: desk.agent.agentId,
      event: "handoff_requested",
    });
    assert.deepEqual([list[0]?.state, list[0]?.cause], ["dead", "destination_down"]);
  });

  it("every handoff has its own id, and a second request returns the first", async () => {
    const desk = await makeDesk(bed);
    const conversationId = await desk.converse();
    const first = await desk.connect(conversationId);
    const again = await desk.agent.client.handoffs.request({ conversation_id: conversationId });
    assert.deepEqual([again.outcome, again.handoff?.handoff_id], ["already_open", first]);
    await desk.close(first);
    const second = await desk.connect(conversationId);
    assert.notEqual(second, first);
    assert.deepEqual(desk.story(), ["establish", "establish"]);
  });

  it("a handoff requires a component and a message webhook, and the refusal says which is missing", async () => {
    const desk = await makeDesk(bed, { agent: { webhook: false } });
    const conversationId = await desk.converse();
    const withoutWebhook = await refusal(desk.request(conversationId));
    assert.deepEqual([withoutWebhook.code, /message webhook/.test(withoutWebhook.message)], [40000, true]);
    await operatorOf(bed).webhooks.set({ agent_id: desk.agent.agentId, url: desk.agent.webhookUrl });
    await operatorOf(bed).desks.delete({
      agent_id: desk.agent.agentId,
      component_id: desk.componentId,
    });
    const withoutDesk = await refusal(desk.request(conversationId));
    assert.deepEqual([withoutDesk.code, /no desk of this agent/.test(withoutDesk.message)], [40000, true]);
    assert.equal((await refusal(desk.request(desk.agent.agentId))).code, 40356);
  });

  it("a handoff ends when its component is deleted: the user is notified, the agent answers, pending calls are given up", async () => {
    const desk = await makeDesk(bed, { agent: { qaList: [HOURS] } });
    const conversationId = await desk.converse();
    const handoffId = await desk.connect(conversationId);
    desk.answer("chat", () => ({ status: 500 }));
    await desk.agent.ask(conversationId, "When do you open?");
    await desk.arrived("chat");
    await operatorOf(bed).desks.delete({
      agent_id: desk.agent.agentId,
      component_id: desk.componentId,
    });
    assert.deepEqual(await desk.toldAll(3), [
      CONNECTING,
      "system: Sorry, we lost the connection to our team. I'll keep helping you in the meantime.",
      "ai: At nine.",
    ]);
    const { handoff } = await desk.agent.client.handoffs.get({ conversation_id: conversationId });
    assert.deepEqual([handoff?.handoff_id, handoff?.reason], [handoffId, "desk_removed"]);
    await eventually("the chat is given up", async () => {
      const { list } = await operatorOf(bed).deliveries.list({
        agent_id: desk.agent.agentId,
        event: "user_message",
      });
      return list[0]?.cause === "no_destination";
    });
  });
});

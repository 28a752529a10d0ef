import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { EstablishHandoff, HandoffChat, type RequestOf } from "@signalbox/contract";
import { refusal } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { makeDesk } from "../support/desk.ts";

const HOURS = { question: "When do you open?", answer: "At nine." };

describe("4.7 handoff chat", { concurrency: 4 }, () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed();
  });
  after(() => bed[Symbol.asyncDispose]());

  it("4.7 carries the user's text under the handoff's id with exactly the specified fields", async () => {
    const desk = await makeDesk(bed);
    const conversationId = await desk.converse();
    const handoffId = await desk.connect(conversationId);
    await desk.agent.ask(conversationId, "你好 – hello 😀");
    const { body, headers } = await desk.arrived("chat");
    const { timestamp, ...rest } = HandoffChat.parse(body);
    assert.deepEqual(rest, { conversation_id: handoffId, body: "你好 – hello 😀" });
    assert.ok(Math.abs(Date.now() - timestamp) < 60_000);
    assert.equal(headers["signalbox-event"], "user_message");
    assert.equal(headers["signalbox-sender"], "user");
    assert.equal(headers["signalbox-sequence"], "2");
    assert.equal(headers["signalbox-conversation"], conversationId);
  });

  it("4.7 carries files as their URLs, one per line, as 4.6 and the history do", async () => {
    const desk = await makeDesk(bed, { agent: { fallback_text: "Please call us." } });
    const conversationId = await desk.converse();
    const photo = {
      url: "https://files.example.com/broken.png?signature=abc",
      name: "broken.png",
      format: "png",
    };
    const send = (content: RequestOf<"sendMessage">["messages"][number]["content"]) =>
      desk.agent.client.conversations.sendMessage({
        conversation_id: conversationId,
        response_mode: "webhook",
        messages: [{ role: "user", content }],
      });
    // A file alone is no question the agent could look up.
    await send([{ type: "image", image: photo }]);
    assert.deepEqual(await desk.toldAll(1), ["ai: Please call us."]);
    await desk.connect(conversationId);
    const line = "[image] broken.png: https://files.example.com/broken.png?signature=abc";
    const { body } = EstablishHandoff.parse((await desk.arrived("establish")).body);
    assert.deepEqual(body[0], { text: line, message_type: "QUESTION" });
    await send([
      { type: "text", text: "And the bill:" },
      { type: "document", document: [{ url: "https://files.example.com/bill.pdf" }] },
      { type: "image", image: photo },
    ]);
    const chat = HandoffChat.parse((await desk.arrived("chat")).body);
    assert.equal(chat.body, `And the bill:\n[document] https://files.example.com/bill.pdf\n${line}`);
    const { conversation_content } = await desk.agent.client.conversations.listMessages({
      conversation_id: conversationId,
    });
    assert.deepEqual(
      conversation_content
        .filter(({ role }) => role === "user")
        .map(({ content }) => content[0]?.branch_content),
      [
        [{ type: "image", image: [photo] }],
        [
          { type: "text", text: "And the bill:" },
          { type: "document", document: [{ url: "https://files.example.com/bill.pdf" }] },
          { type: "image", image: [photo] },
        ],
      ],
    );
  });

  it("4.7 is repeated with the same id when its answer was lost, and holds back what follows", async () => {
    const desk = await makeDesk(bed);
    const conversationId = await desk.converse();
    await desk.connect(conversationId);
    let failures = 1;
    desk.answer("chat", () => (failures-- > 0 ? { destroySocket: true } : undefined));
    await desk.agent.ask(conversationId, "one");
    await desk.agent.ask(conversationId, "two");
    await desk.arrived("chat", 3);
    assert.deepEqual(desk.attempts(), ["establish", "chat one", "chat one", "chat two"]);
    const [first, second] = desk.calls().slice(1);
    assert.equal(first?.request.headers["webhook-id"], second?.request.headers["webhook-id"]);
  });

  it("messages during a handoff go to the desk, and the agent answers none", async () => {
    const desk = await makeDesk(bed, { agent: { qaList: [HOURS] } });
    const conversationId = await desk.converse();
    const handoffId = await desk.connect(conversationId);
    for (let time = 0; time < 5; time += 1) {
      await desk.agent.ask(conversationId, "When do you open?");
      await desk.reply(handoffId, `reply ${time}`);
    }
    await desk.arrived("chat", 5);
    const told = await desk.toldAll(6);
    assert.deepEqual(
      told.slice(1),
      [0, 1, 2, 3, 4].map((time) => `human: reply ${time}`),
    );
  });

  it("a phrase in English or Chinese requests a handoff after earlier questions are answered", async () => {
    for (const phrase of ["I want to talk to a human", "agent please", "我要转人工"]) {
      const desk = await makeDesk(bed, { agent: { qaList: [HOURS] } });
      const conversationId = await desk.converse();
      await desk.agent.ask(conversationId, "When do you open?");
      await desk.agent.ask(conversationId, phrase);
      await desk.isIn(conversationId, "connecting");
      const told = await desk.toldAll(2);
      assert.deepEqual([told[0], told[1]?.startsWith("system:")], ["ai: At nine.", true]);
      const { handoff } = await desk.agent.client.handoffs.get({ conversation_id: conversationId });
      assert.equal(handoff?.trigger, "phrase");
    }
  });

  it("a question about people requests no handoff when knowledge answers it", async () => {
    const people = { question: "人工服务时间", answer: "九点到六点。" };
    const service = { question: "Is there a live agent?", answer: "From nine to six." };
    const desk = await makeDesk(bed, {
      agent: { qaList: [HOURS, people, service], fallback_text: "No idea." },
    });
    const conversationId = await desk.converse();
    for (const text of ["人工服务时间?", "Is there a live agent?", "How long is the wait for an agent?"])
      await desk.agent.ask(conversationId, text);
    const told = await desk.toldAll(3);
    assert.deepEqual(told.slice(0, 2), ["ai: 九点到六点。", "ai: From nine to six."]);
    assert.match(told[2] ?? "", /Did you mean/);
    await desk.agent.ask(conversationId, "有人工客服吗");
    await desk.isIn(conversationId, "connecting");
    const { handoff } = await desk.agent.client.handoffs.get({ conversation_id: conversationId });
    assert.equal(handoff?.trigger, "phrase", "what may ask for a person does where knowledge has no answer");
  });

  it("three unanswered questions in a row request a handoff", async () => {
    const desk = await makeDesk(bed, { agent: { qaList: [HOURS], fallback_text: "No idea." } });
    const conversationId = await desk.converse();
    for (const text of ["gibberish one", "When do you open?", "gibberish two", "hello", "gibberish three"])
      await desk.agent.ask(conversationId, text);
    // Small talk is no question: it neither counts nor begins the count anew.
    const greeting = "ai: Hello! How can I help you?";
    const told = ["ai: No idea.", "ai: At nine.", "ai: No idea.", greeting, "ai: No idea."];
    assert.deepEqual(await desk.toldAll(5), told);
    await desk.agent.ask(conversationId, "gibberish four");
    await desk.isIn(conversationId, "connecting");
    const { handoff } = await desk.agent.client.handoffs.get({ conversation_id: conversationId });
    assert.equal(handoff?.trigger, "no_answer");
  });

  it("the agent requests no second handoff after one, though the user may", async () => {
    const desk = await makeDesk(bed, {
      agent: { fallback_text: "No idea." },
      settings: { no_answer_limit: 1 },
    });
    const conversationId = await desk.converse();
    await desk.agent.ask(conversationId, "gibberish one");
    await desk.isIn(conversationId, "connecting");
    const { handoff } = await desk.agent.client.handoffs.get({ conversation_id: conversationId });
    await desk.close(handoff?.handoff_id ?? "");
    await desk.agent.ask(conversationId, "gibberish two");
    assert.equal((await desk.toldAll(3)).at(-1), "ai: No idea.");
    await desk.agent.ask(conversationId, "human please");
    await desk.isIn(conversationId, "connecting");
    assert.deepEqual(desk.story(), ["establish", "establish"]);
    const { body } = await desk.arrived("establish", 2);
    assert.ok(
      (body as { body: { text: string }[] }).body.some(({ text }) => text === "gibberish two"),
      "the second desk sees the whole conversation",
    );
  });

  it("messages that waited while a desk refused are answered and request no handoff", async () => {
    const desk = await makeDesk(bed, { agent: { fallback_text: "No idea." } });
    const conversationId = await desk.converse();
    const gate = Promise.withResolvers<{ status: number }>();
    desk.answer("establish", () => gate.promise);
    await desk.agent.ask(conversationId, "human please");
    await desk.arrived("establish");
    await desk.agent.ask(conversationId, "hello? human please!");
    desk.answer("establish", () => ({ status: 503 }));
    gate.resolve({ status: 503 });
    const told = await desk.toldAll(2);
    assert.deepEqual(told.at(-1), "ai: No idea.");
    assert.deepEqual(desk.attempts(), ["establish", "establish", "establish"]);
  });

  it("a handoff outside business hours takes the user's email, and the agent continues", async () => {
    const day = new Date(Date.now() + 12 * 3_600_000);
    const at = `${String(day.getUTCHours()).padStart(2, "0")}:00`;
    const to = `${String(day.getUTCHours()).padStart(2, "0")}:59`;
    const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
    const desk = await makeDesk(bed, {
      agent: { qaList: [HOURS] },
      component: { business_hours: { time_zone: "UTC", open: [{ days: [...days], from: at, to }] } },
    });
    const conversationId = await desk.converse();
    await desk.agent.ask(conversationId, "human please");
    assert.match((await desk.toldAll(1))[0] ?? "", /Leave your email/);
    await desk.agent.ask(conversationId, "When do you open?");
    assert.equal((await desk.toldAll(2))[1], "ai: At nine.");
    await desk.agent.ask(conversationId, "sure: someone@example.com");
    assert.match((await desk.toldAll(3))[2] ?? "", /Someone from our team will email you/);
    // A user who asks again while the desk is closed adds to the message that waits.
    await desk.agent.ask(conversationId, "It is about my saw.");
    await desk.toldAll(4);
    await desk.agent.ask(conversationId, "human please, it is urgent");
    assert.match((await desk.toldAll(5))[4] ?? "", /Someone from our team will email you/);
    assert.deepEqual(desk.story(), []);
    // The morning comes.
    await bed.database.query("update lane set due_at = now() where destination_id = $1", [desk.componentId]);
    const { body, headers } = await desk.arrived("establish");
    await desk.arrived("chat", 2);
    assert.equal(headers["signalbox-event"], "message_left");
    const establish = body as { email: string; conversation_id: string; body: { text: string }[] };
    assert.equal(establish.email, "someone@example.com");
    assert.ok(establish.body.some(({ text }) => text === "human please"));
    // It stays open at the desk until a human has seen to it.
    assert.deepEqual(desk.story(), [
      "establish",
      "chat It is about my saw.",
      "chat human please, it is urgent",
    ]);
    const left = await refusal(desk.reply(establish.conversation_id, "Hello?"));
    assert.equal(left.code, 40900);
    assert.match(left.message, /by email/);
    const { control } = await desk.agent.client.handoffs.get({ conversation_id: conversationId });
    assert.equal(control, "bot");
  });
});

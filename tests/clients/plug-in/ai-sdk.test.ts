import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createClient } from "@signalbox/sdk";
import { openBed, type Bed } from "../../support/bed.ts";
import { makeDesk } from "../../support/desk.ts";
import { eventually } from "../../support/processes.ts";
import { importInstalled, without } from "../installed.ts";

type Part = { type: string; text?: string; title?: string; data?: unknown };
type Message = { id: string; role: string; parts: Part[] };
type Chat = {
  messages: Message[];
  status: string;
  error: Error | undefined;
  sendMessage(message: { text: string }): Promise<void>;
  resumeStream(): Promise<void>;
  stop(): Promise<void>;
};
type ChatOptions = {
  id: string;
  messages?: Message[];
  transport: object;
  onData(part: Part): void;
};
type AiModule = { DefaultChatTransport: new (options: { api: string; headers: object }) => object };
type ReactModule = { Chat: new (options: ChatOptions) => Chat };

const QA = [
  { question: "When do you open?", answer: "At nine." },
  { question: "Do you repair shoes?", answer: "Yes." },
];

describe("AI SDK useChat", { skip: without("ai", "@ai-sdk/react") }, () => {
  let bed: Bed;
  let ai: AiModule;
  let react: ReactModule;
  before(async () => {
    bed = await openBed();
    ai = await importInstalled("ai/dist/index.js");
    react = await importInstalled("@ai-sdk/react/dist/index.js");
  });
  after(() => bed?.[Symbol.asyncDispose]());

  /** A user's page that has signed in. */
  async function openPage() {
    const desk = await makeDesk(bed, { agent: { qaList: QA } });
    const { token } = await desk.agent.client.chatTokens.mint({ user_id: "u1" });
    const live = createClient({ baseUrl: bed.baseUrl, chatToken: token, retries: 0 });
    const { conversation_id: id } = await live.chats.begin();
    const open = (node = 0, messages: Message[] = []) => {
      const holders: string[] = [];
      const chat = new react.Chat({
        id,
        messages,
        transport: new ai.DefaultChatTransport({
          api: `${bed.api(node).baseUrl}/chat/v1/ui-message-stream`,
          headers: { authorization: `Bearer ${token}` },
        }),
        onData({ type, data }) {
          if (type === "data-handoff") holders.push((data as { holder: string }).holder);
        },
      });
      return { chat, holders };
    };
    return { desk, id, live, open };
  }

  const linesOf = ({ messages }: Chat) =>
    messages.map(({ role, parts }) => {
      const speaker = parts.find(({ type }) => type === "data-speaker")?.data as
        | { speaker: string }
        | undefined;
      const text = parts.flatMap((part) => (part.type === "text" ? (part.text ?? []) : [])).join("");
      return `${speaker?.speaker ?? role}: ${text}`;
    });

  it("a question is answered with its speaker and its sources, under the id that the service stored", async () => {
    const { open, desk, id } = await openPage();
    const { chat } = open();
    await chat.sendMessage({ text: "When do you open?" });
    assert.equal(chat.error, undefined);
    assert.equal(chat.status, "ready");
    assert.deepEqual(linesOf(chat), ["user: When do you open?", "agent: At nine."]);
    const source = chat.messages[1]?.parts.find(({ type }) => type === "source-document");
    assert.equal(source?.title, "When do you open?");
    const { items } = await desk.agent.client.conversations
      .listMessages({ conversation_id: id })
      .then(({ conversation_content }) => ({ items: conversation_content }));
    assert.equal(items[1]?.message_id, chat.messages[1]?.id);
  });

  it("after a handoff nothing of the agent comes, and a human's reply reaches a page that was opened anew", async () => {
    const { open, desk, live, id } = await openPage();
    const { chat } = open();
    await chat.sendMessage({ text: "When do you open?" });
    await live.chats.askForPerson({ conversation_id: id });
    await desk.isIn(id, "connecting");
    const { handoff } = await desk.agent.client.handoffs.get({ conversation_id: id });
    await chat.sendMessage({ text: "Do you repair shoes?" });
    assert.equal(chat.error, undefined);

    const reopened = open(1, chat.messages);
    const resuming = reopened.chat.resumeStream();
    await eventually("the page shows who holds the chat", async () => reopened.holders.includes("waiting"), {
      timeoutMs: 30_000,
    });
    await desk.reply(handoff?.handoff_id ?? "", "Ada here. We do.");
    const isHeard = async () => linesOf(reopened.chat).includes("human: Ada here. We do.");
    await eventually("the human's reply comes", isHeard, { timeoutMs: 30_000 });
    const said = linesOf(reopened.chat);
    assert.ok(!said.includes("agent: Yes."), said.join(" / "));
    await desk.close(handoff?.handoff_id ?? "");
    await resuming;
    assert.equal(reopened.holders.at(-1), "agent");
    assert.equal(
      new Set(reopened.chat.messages.map((message) => message.id)).size,
      reopened.chat.messages.length,
    );
    await reopened.chat.sendMessage({ text: "When do you open?" });
    assert.equal(linesOf(reopened.chat).at(-1), "agent: At nine.");
  });

  it("another user's token, a regeneration and an empty message are refused with what to do", async () => {
    const { desk, id } = await openPage();
    const { token } = await desk.agent.client.chatTokens.mint({ user_id: "u2" });
    const send = async (body: object) => {
      const answer = await fetch(`${bed.baseUrl}/chat/v1/ui-message-stream`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return `${answer.status} ${await answer.text()}`;
    };
    const messages = [{ role: "user", parts: [{ type: "text", text: "Hello" }] }];
    assert.match(await send({ id, messages }), /^403 .*40358/);
    assert.match(await send({ id, messages, trigger: "regenerate-message" }), /^400 .*submit-message/);
    assert.match(await send({ id, messages: [{ role: "user", parts: [] }] }), /^400 .*text part/);
  });
});

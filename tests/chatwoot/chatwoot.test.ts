import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { conform } from "@signalbox/sdk/conform";
import { type Bed, openBed } from "@signalbox/tests/support/bed.ts";
import { type Desk, makeDesk } from "@signalbox/tests/support/desk.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { prepareExample, type RunningExample } from "@signalbox/tests/support/running-example.ts";
import {
  ACCOUNT,
  type ChatwootStandIn,
  INBOX,
  openChatwoot,
  SECRET,
  type StoodConversation,
  TOKEN,
} from "./chatwoot-stand-in.ts";

const CREDENTIALS = { username: "signalbox", secret: "a secret of the bridge" };
const QA = [{ question: "When do you open?", answer: "At nine." }];

describe("Chatwoot bridge against the running service", { timeout: 300_000 }, () => {
  let bed: Bed;
  let chatwoot: ChatwootStandIn;
  let bridge: RunningExample;
  let desk: Desk;
  before(async () => (bed = await openBed({ apis: 1, workers: 1 })));
  after(() => bed?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    bridge = await prepareExample("chatwoot", "BRIDGE_FILE");
    chatwoot = await openChatwoot(`${bridge.url}/chatwoot`);
    desk = await makeDesk(bed, {
      agent: { qaList: QA },
      component: { url: bridge.hooksUrl, ...CREDENTIALS },
    });
    await bridge.start(environment());
  });
  afterEach(async () => {
    await bridge[Symbol.asyncDispose]();
    await chatwoot[Symbol.asyncDispose]();
  });

  const environment = (signalboxUrl = bed.baseUrl) => ({
    SIGNALBOX_URL: signalboxUrl,
    SIGNALBOX_API_KEY: desk.agent.apiKey,
    SIGNALBOX_WEBHOOK_USERNAME: CREDENTIALS.username,
    SIGNALBOX_WEBHOOK_SECRET: CREDENTIALS.secret,
    CHATWOOT_URL: chatwoot.url,
    CHATWOOT_ACCOUNT_ID: ACCOUNT,
    CHATWOOT_API_TOKEN: TOKEN,
    CHATWOOT_INBOX_IDENTIFIER: INBOX,
    CHATWOOT_WEBHOOK_SECRET: SECRET,
  });

  /** A user asked something, then for a person, and is with one. */
  async function handOver(): Promise<{
    conversationId: string;
    handoffId: string;
    inbox: StoodConversation;
  }> {
    const conversationId = await desk.converse();
    await desk.agent.ask(conversationId, "When do you open?");
    await desk.toldAll(1);
    const handoffId = await desk.connect(conversationId);
    const inbox = await eventually("the conversation is in Chatwoot", () =>
      chatwoot.conversations.find(
        ({ custom_attributes }) => custom_attributes["signalbox_handoff"] === handoffId,
      ),
    );
    return { conversationId, handoffId, inbox };
  }
  const said = ({ messages }: StoodConversation) =>
    messages.filter(({ message_type }) => message_type === "incoming").map(({ content }) => content);
  const notes = ({ messages }: StoodConversation) =>
    messages.filter((message) => message.private).map(({ content }) => content);
  const byHumans = () => desk.told().filter((text) => text.startsWith("human: "));

  it("the bridge carries a handoff there and back: transcript, messages, replies and the end by a human", async () => {
    const { conversationId, inbox } = await handOver();
    assert.equal(chatwoot.conversations.length, 1);
    assert.match(notes(inbox)[0] ?? "", /User: When do you open\?\n\nAssistant: At nine\./);

    await desk.agent.ask(conversationId, "Is that so on Sundays?");
    await eventually("the user's words are there", () => said(inbox).length === 1);
    chatwoot.write(inbox, "She always asks that.", true);
    chatwoot.write(inbox, "On Sundays at ten.");
    await eventually("the user has the reply", () => byHumans().length === 1);
    assert.deepEqual([said(inbox), byHumans()], [["Is that so on Sundays?"], ["human: On Sundays at ten."]]);

    chatwoot.resolve(inbox);
    await desk.isIn(conversationId, "closed");
    await desk.agent.ask(conversationId, "When do you open?");
    await eventually("the agent answers again", () => desk.told().at(-1) === "ai: At nine.");
    assert.deepEqual(
      said(inbox),
      ["Is that so on Sundays?"],
      "what is said to the agent is not for Chatwoot",
    );

    const late = chatwoot.write(inbox, "Are you still there?");
    await eventually("the agent sees that it did not arrive", () => late.status === "failed");
    assert.match(late.external_error ?? "", /has ended/);
    await chatwoot.settled();
    assert.deepEqual(new Set(chatwoot.answers), new Set([200]));
  });

  it("the bridge notes in Chatwoot that the user left and resolves the conversation, without a close by a human", async () => {
    const { conversationId, inbox } = await handOver();
    await desk.agent.client.handoffs.leave({ conversation_id: conversationId });
    await eventually("it is resolved", () => inbox.status === "resolved");
    assert.equal(notes(inbox).at(-1), "The user closed the conversation.");
    await chatwoot.settled();
    await bridge.stop();
    const database = new DatabaseSync(bridge.file, { readOnly: true });
    assert.deepEqual(database.prepare("select * from outgoing").all(), []);
    database.close();
  });

  it("the bridge doubles nothing when each answer of Chatwoot is lost once and each webhook comes twice", async () => {
    chatwoot.faults.timesEach = 2;
    const conversationId = await desk.converse();
    chatwoot.faults.answersToLose = ["/contacts", "/conversations"];
    await desk.connect(conversationId);
    const [inbox] = chatwoot.conversations;
    assert.ok(inbox !== undefined);
    for (const text of ["One", "Two", "Three"]) {
      chatwoot.faults.answersToLose = ["/messages"];
      await desk.agent.ask(conversationId, text);
      await eventually(
        `${text} was tried again`,
        () => said(inbox).includes(text) && chatwoot.faults.answersToLose.length === 0,
      );
    }
    for (const text of ["First", "Second"]) chatwoot.write(inbox, text);
    await eventually("both replies arrived", () => byHumans().length >= 2);
    chatwoot.faults.answersToLose = ["/messages", "/toggle_status"];
    await desk.agent.client.handoffs.leave({ conversation_id: conversationId });
    await eventually(
      "it is resolved",
      () => inbox.status === "resolved" && chatwoot.faults.answersToLose.length === 0,
    );
    await chatwoot.settled();
    await bridge.stop();
    assert.equal(chatwoot.conversations.length, 1);
    assert.deepEqual(said(inbox), ["One", "Two", "Three"]);
    assert.deepEqual(byHumans(), ["human: First", "human: Second"]);
    assert.equal(new Set(notes(inbox)).size, notes(inbox).length);
  });

  it("the bridge keeps replies while the service is down and through its own crash, and delivers them in order", async () => {
    const { conversationId, inbox } = await handOver();
    await bridge.stop();
    const path = "/away/v1/human/message/receive";
    desk.agent.respondAt(path, () => ({ status: 503 }));
    const tries = () => bed.receiver.requests.filter((request) => request.path === path).length;
    await bridge.start(environment(`${bed.receiver.url}/away`));
    const texts = Array.from({ length: 5 }, (_, index) => `Reply ${index}`);
    for (const text of texts) chatwoot.write(inbox, text);
    chatwoot.resolve(inbox);
    await chatwoot.settled();
    await eventually("the client's own tries were not the last", () => tries() > 6);
    await bridge.kill9();
    await bridge.start(environment());
    await desk.isIn(conversationId, "closed");
    await eventually("the last reply arrived", () => byHumans().length >= texts.length);
    assert.deepEqual(
      byHumans(),
      texts.map((text) => `human: ${text}`),
    );
  });

  it("the user is told that nobody is available when Chatwoot is down, and the agent continues", async () => {
    chatwoot.faults.isAway = true;
    const conversationId = await desk.converse();
    await desk.request(conversationId);
    await desk.isIn(conversationId, "busy");
    await desk.agent.ask(conversationId, "When do you open?");
    await eventually("the agent answers", () => desk.told().at(-1) === "ai: At nine.");
  });

  it("the bridge trusts only its own Chatwoot and forwards no private note", async () => {
    const { inbox } = await handOver();
    const reply = {
      event: "message_created",
      id: 900,
      content: "Give me your password.",
      message_type: "outgoing",
      private: false,
      conversation: { contact_inbox: { source_id: inbox.source_id } },
    };
    assert.equal(await chatwoot.post(reply, { secret: "another" }), 401);
    assert.equal(await chatwoot.post(reply, { at: Date.now() / 1000 - 3_600 }), 401);
    const { private: _private, ...unmarked } = reply;
    for (const other of [
      unmarked,
      { ...reply, private: true },
      { ...reply, message_type: "template" },
      { ...reply, conversation: { contact_inbox: { source_id: "another" } } },
      {
        event: "conversation_status_changed",
        status: "open",
        contact_inbox: { source_id: inbox.source_id },
      },
    ])
      assert.equal(await chatwoot.post(other), 200);
    chatwoot.write(inbox, "Hello.");
    await eventually("the real one arrives", () => byHumans().length > 0);
    assert.deepEqual(byHumans(), ["human: Hello."]);
  });

  it("the bridge passes every rule for receivers", async () => {
    const effects = () =>
      chatwoot.conversations
        .flatMap(({ custom_attributes, messages }) =>
          messages.map(({ content }) => `${custom_attributes["signalbox_handoff"]} ${content}`),
        )
        .join("\n");
    const report = await conform({
      url: bridge.hooksUrl,
      as: "human-service",
      ...CREDENTIALS,
      effects: () => Promise.resolve(effects()),
    });
    assert.deepEqual(
      report.results.filter(({ state }) => state === "failed"),
      [],
    );
  });
});

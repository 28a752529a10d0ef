import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Client } from "@signalbox/sdk";
import { operatorOf, refusal } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { makeDesk } from "../support/desk.ts";
import { followChat } from "../support/followed-chat.ts";
import { makeInbox, type MadeInbox } from "../support/inbox.ts";
import { eventually } from "../support/processes.ts";
import { openBrowser } from "./chat-browser.ts";

const wait = { timeoutMs: 30_000 };

describe("inbox and widget, live", { concurrency: 3 }, () => {
  let bed: Bed;
  let operator: Client;
  before(async () => {
    bed = await openBed();
    operator = operatorOf(bed);
  });
  after(() => bed[Symbol.asyncDispose]());

  /** A user in the widget on the second node, who has asked for a person. */
  async function openInWidget(inbox: MadeInbox, userId = "user-1") {
    const visitor = await openBrowser(bed, inbox.agent, { user_id: userId }, 1);
    const { conversation_id } = await visitor.client.chats.begin();
    const say = (text: string) => visitor.client.chats.say({ conversation_id, text });
    const stream = await followChat(visitor, conversation_id);
    await stream.heard("ready");
    await say("Hello?");
    await visitor.client.chats.askForPerson({ conversation_id });
    const { agent_id } = inbox;
    const talk = await eventually("the chat waits in the inbox", async () => {
      const { list } = await operator.talks.search({ agent_id, view: "waiting" });
      return list.find((one) => one.conversation_id === conversation_id);
    });
    return { visitor, conversation_id, say, stream, path: { agent_id, talk_id: talk.talk_id } };
  }

  /** What a stream of changes tells of chats, in order. */
  async function followTalks(client: Client, agent_id: string) {
    const leaving = new AbortController();
    const typed: string[] = [];
    const changed: string[] = [];
    const opened = Promise.withResolvers<void>();
    const following = (async () => {
      for await (const { event, data } of client.service.followChanges(
        { agent_id },
        { signal: leaving.signal },
      )) {
        if (event === "ready") opened.resolve();
        if (event === "changed") changed.push(...data.talk_ids);
        if (event === "typing") typed.push(`${data.agent_id} ${data.talk_id}`);
      }
    })().catch(() => undefined);
    await opened.promise;
    return {
      typed,
      changed,
      async [Symbol.asyncDispose]() {
        leaving.abort();
        await following;
      },
    };
  }

  /** Which transaction last wrote to the rows of its chats. */
  const versions = (agentId: string) =>
    bed.database.query(
      // Notices and answers come on their own time.
      ["inbox_talk", "audit"]
        .map(
          (table) =>
            `select '${table}' as row, count(*) as rows, max(xmin::text::bigint) as written from ${table} where agent_id = $1`,
        )
        .join(" union all "),
      [agentId],
    );

  /** A signal may be lost, and the next one follows. */
  const typeUntil = (isShown: () => boolean, type: () => Promise<unknown>) =>
    eventually(
      "typing is shown",
      async () => {
        await type();
        return isShown();
      },
      { ...wait, everyMs: 200 },
    );

  it("inbox: the user sees the name of the holder who types, on any node, and nothing is written", async () => {
    const inbox = await makeInbox(bed);
    const [ann, bob] = [await inbox.join("Ann, née Li"), await inbox.join("Bob")];
    const { stream, path } = await openInWidget(inbox);
    assert.match((await refusal(ann.client.talks.type(path))).message, /take this chat first/);
    await ann.client.talks.take(path);
    const before = await versions(inbox.agent_id);
    const typing = () => stream.story().filter((line) => line === "typing Ann, née Li").length;
    await typeUntil(
      () => typing() > 0,
      () => ann.client.talks.type(path),
    );
    assert.deepEqual(await versions(inbox.agent_id), before);
    assert.match((await refusal(bob.client.talks.type(path))).message, /Ann, née Li has taken/);
    await ann.client.talks.close(path);
    assert.match((await refusal(ann.client.talks.type(path))).message, /closed/);
    await stream.leave();
  });

  it("inbox: the team sees that a user types to a human; other agents and chats with the agent do not show it", async () => {
    const [inbox, other] = [await makeInbox(bed), await makeInbox(bed)];
    const ann = await inbox.join("Ann");
    await using ours = await followTalks(ann.client, inbox.agent_id);
    await using theirs = await followTalks(operator, other.agent_id);
    const visitor = await openBrowser(bed, inbox.agent, { user_id: "user-2" }, 1);
    const { conversation_id } = await visitor.client.chats.begin();
    await visitor.client.chats.type({ conversation_id });
    const waiting = await openInWidget(inbox);
    const before = await versions(inbox.agent_id);
    await typeUntil(
      () => ours.typed.length > 0,
      () => waiting.visitor.client.chats.type({ conversation_id: waiting.conversation_id }),
    );
    assert.deepEqual([...new Set(ours.typed)], [`${inbox.agent_id} ${waiting.path.talk_id}`]);
    assert.deepEqual(await versions(inbox.agent_id), before);
    assert.deepEqual(theirs.typed, []);
    const stranger = await openBrowser(bed, inbox.agent, { user_id: "user-3" });
    const { conversation_id: foreign } = waiting;
    assert.equal((await refusal(stranger.client.chats.type({ conversation_id: foreign }))).code, 40358);
    await waiting.stream.leave();
  });

  it("a desk shows by POST /v1/human/typing that a human types, until the handoff ends", async () => {
    const [desk, other] = [await makeDesk(bed), await makeDesk(bed)];
    const visitor = await openBrowser(bed, desk.agent, {}, 1);
    const { conversation_id } = await visitor.client.chats.begin();
    const stream = await followChat(visitor, conversation_id);
    await stream.heard("ready");
    await visitor.client.chats.askForPerson({ conversation_id });
    await desk.arrived("establish");
    const handoff = { conversation_id: desk.calls()[0]?.handoffId ?? "" };
    for (const human_name of ["Ada", undefined])
      await typeUntil(
        () => stream.story().includes(human_name === undefined ? "typing" : "typing Ada"),
        () => desk.agent.client.handoffs.type({ ...handoff, human_name }),
      );
    assert.equal((await refusal(other.agent.client.handoffs.type(handoff))).code, 40356);
    await desk.close(handoff.conversation_id);
    assert.equal((await refusal(desk.agent.client.handoffs.type(handoff))).code, 40900);
    await stream.leave();
  });

  it("inbox: the user is told what the holder has seen, never back, and again after coming back", async () => {
    const inbox = await makeInbox(bed);
    const [ann, bob] = [await inbox.join("Ann"), await inbox.join("Bob")];
    const { visitor, conversation_id, stream, path, say } = await openInWidget(inbox);
    await ann.client.talks.take(path);
    await say("Are you there?");
    const lastAsked = async () =>
      (await ann.client.talks.get(path)).messages.findLast(({ sender }) => sender === "user")?.sequence ?? 0;
    const first = await lastAsked();
    const refused = await refusal(bob.client.talks.markSeen({ ...path, sequence: first }));
    assert.match(refused.message, /Ann has taken/);
    assert.equal((await ann.client.talks.get(path)).unread_count, 2);
    await ann.client.talks.markSeen({ ...path, sequence: first });
    await stream.heard(`seen ${first}`);
    await ann.client.talks.markSeen({ ...path, sequence: 1 });
    assert.equal((await ann.client.talks.get(path)).seen_sequence, first);
    await say("Hello?");
    const second = await lastAsked();
    // A human who answers has read.
    await ann.client.talks.reply({ ...path, text: "Here I am." });
    await stream.heard("human: Here I am.");
    const seen = stream.story().filter((line) => line.startsWith("seen"));
    assert.equal(seen.at(-1), `seen ${second}`);
    assert.equal(new Set(seen).size, seen.length, "each is told once");
    const again = await followChat(visitor, conversation_id, stream.lastEventId());
    await again.heard(`seen ${second}`);
    for (const one of [stream, again]) await one.leave();
  });

  it("inbox: the team is told what the user's page has shown, never beyond the last message and never back", async () => {
    const inbox = await makeInbox(bed);
    const ann = await inbox.join("Ann");
    const { visitor, conversation_id, stream, path } = await openInWidget(inbox);
    await ann.client.talks.take(path);
    await ann.client.talks.reply({ ...path, text: "Ann here." });
    await stream.heard("human: Ann here.");
    const shown = async () => (await ann.client.talks.get(path)).user_seen_sequence;
    assert.equal(await shown(), 0);
    const last = Number(stream.lastEventId());
    await using changes = await followTalks(ann.client, inbox.agent_id);
    await visitor.client.chats.markSeen({ conversation_id, sequence: last });
    await eventually("the team is told", () => changes.changed.includes(path.talk_id), wait);
    assert.equal(await shown(), last);
    const written = () =>
      bed.database.query("select xmin from inbox_talk where agent_id = $1 and id = $2", [
        inbox.agent_id,
        path.talk_id,
      ]);
    const before = await written();
    await visitor.client.chats.markSeen({ conversation_id, sequence: 1 });
    await visitor.client.chats.markSeen({ conversation_id, sequence: last + 100 });
    assert.deepEqual(await written(), before, "what is not news is not written");
    assert.equal(await shown(), last);
    const stranger = await openBrowser(bed, inbox.agent, { user_id: "user-3" });
    assert.equal(
      (await refusal(stranger.client.chats.markSeen({ conversation_id, sequence: 1 }))).code,
      40358,
    );
    await stream.leave();
  });

  const IMAGE = { type: "image", url: "https://files.example/sleeve.png", name: "sleeve.png" } as const;
  const LINE = "[image] sleeve.png: https://files.example/sleeve.png";

  it("inbox: files of a reply reach the widget, the message webhook and the timelines, once", async () => {
    const inbox = await makeInbox(bed);
    const ann = await inbox.join("Ann");
    const { stream, path } = await openInWidget(inbox);
    await ann.client.talks.reply({ ...path, text: "Like this?", attachments: [IMAGE] });
    await stream.heard(`human: Like this?\n${LINE}`);
    const told = stream.told.findLast(({ event }) => event === "message");
    assert.deepEqual(told?.event === "message" && told.data.attachments, [IMAGE]);

    const { path: ofApi, conversationId } = await inbox.open("user-9");
    const file = { type: "document", url: "https://files.example/invoice.pdf" } as const;
    for (const _ of [1, 2])
      await ann.client.talks.reply({ ...ofApi, attachments: [file] }, { idempotencyKey: "once" });
    await ann.client.talks.reply({ ...ofApi, text: "And this.", attachments: [IMAGE, file] });
    const human = () => inbox.told().filter((line) => line.startsWith("human"));
    await eventually("the webhook has both", () => human().length === 2, wait);
    const FILE = "[document] https://files.example/invoice.pdf";
    assert.deepEqual(human(), [`human: ${FILE}`, `human: And this.\n${LINE}\n${FILE}`]);
    const { messages } = await ann.client.talks.get(ofApi);
    assert.deepEqual(
      messages.filter(({ sender }) => sender === "human").map(({ text, attachments }) => [text, attachments]),
      [
        ["", [file]],
        ["And this.", [IMAGE, file]],
      ],
    );
    const { list } = await operator.conversations.get({
      agent_id: inbox.agent_id,
      conversation_id: conversationId,
    });
    const shown = list.filter((item) => item.kind === "message" && item.sender === "human");
    assert.partialDeepStrictEqual(shown, [{ attachments: [file] }, { attachments: [IMAGE, file] }]);
    await stream.leave();
  });

  it("inbox: a reply without words and files, and a file that is not at a web address, is refused with 40000", async () => {
    const inbox = await makeInbox(bed);
    const ann = await inbox.join("Ann");
    const { path } = await inbox.open();
    for (const said of [
      {},
      { text: "" },
      { text: "See", attachments: [{ ...IMAGE, url: "javascript:alert(1)" }] },
      { text: "See", attachments: [{ ...IMAGE, url: "sleeve.png" }] },
      { text: "See", attachments: Array.from({ length: 21 }, () => IMAGE) },
    ])
      assert.equal((await refusal(ann.client.talks.reply({ ...path, ...said }))).code, 40000);
    assert.equal((await ann.client.talks.get(path)).state, "waiting", "nothing was taken");
  });

  it("4.9 delivers a human's files behind the words, and a repeat with another file is another message", async () => {
    const desk = await makeDesk(bed);
    const handoffId = await desk.connect(await desk.converse());
    const reply = {
      conversation_id: handoffId,
      timestamp: Math.floor(Date.now() / 1000) * 1000 + 1,
      body: "Like this?",
    };
    for (const _ of [1, 2]) await desk.agent.client.handoffs.reply({ ...reply, attachments: [IMAGE] });
    await desk.agent.client.handoffs.reply(reply);
    await eventually(
      "both are told",
      () => desk.told().filter((line) => line.startsWith("human")).length >= 2,
      wait,
    );
    const told = desk.told().filter((line) => line.startsWith("human"));
    assert.deepEqual(told, [`human: Like this?\n${LINE}`, "human: Like this?"]);
  });
});

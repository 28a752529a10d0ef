import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { Client } from "@signalbox/sdk";
import { operatorOf, refusal } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { makeInbox, personAt } from "../support/inbox.ts";
import { eventually } from "../support/processes.ts";
import { newCanary } from "./canaries.ts";
import { placesByCanary, searchDatabase } from "./whole-database.ts";

const wait = { timeoutMs: 30_000 };

describe("inbox", { concurrency: 3 }, () => {
  let bed: Bed;
  let operator: Client;
  before(async () => {
    bed = await openBed();
    operator = operatorOf(bed);
  });
  after(() => bed[Symbol.asyncDispose]());

  const PAIR = { question: "Do you repair zippers?", answer: "Yes, within a week." };

  it("inbox: a chat is taken, answered, noted, transferred and closed, and the agent answers again", async () => {
    const inbox = await makeInbox(bed, { agent: { qaList: [PAIR] }, inbox: { name: "Front desk" } });
    const [ann, bob] = [await inbox.join("Ann"), await inbox.join("Bob")];
    const { agent } = inbox;
    const { talk, path, conversationId } = await inbox.open("user-7");
    assert.partialDeepStrictEqual(talk, {
      kind: "chat",
      state: "waiting",
      holder: null,
      is_mine: false,
      trigger: "phrase",
      unread_count: 1,
      waiting_since: talk.request_time,
      user: { user_id: "user-7" },
      last_user_message: { text: "I want to talk to a person" },
    });
    const found = await operatorOf(bed).conversations.search({
      agent_id: inbox.agent_id,
      with_last_message: true,
    });
    assert.equal(found.list[0]?.last_message?.sender, "user", "and not the notice that follows");
    const taken = await ann.client.talks.take(path);
    assert.deepEqual(
      [taken.state, taken.holder, taken.is_mine],
      ["taken", { account_id: ann.accountId, name: "Ann" }, true],
    );
    await ann.client.talks.reply({ ...path, text: "Hello, I am Ann." });
    const lastSaid = async () => (await ann.client.talks.get(path)).last_user_message?.text;
    assert.equal(await lastSaid(), "I want to talk to a person", "and not what the human said");
    await agent.ask(conversationId, "one");
    await agent.ask(conversationId, "two");
    assert.equal(await lastSaid(), "two");
    const unread = async () => (await ann.client.talks.get(path)).unread_count;
    assert.equal(await unread(), 2);
    const { messages } = await ann.client.talks.get(path);
    await ann.client.talks.markSeen({ ...path, sequence: messages.at(-1)?.sequence ?? 0 });
    assert.equal(await unread(), 0);
    await ann.client.talks.addNote({ ...path, text: "A difficult one" });
    const canned = await ann.client.cannedReplies.create({
      agent_id: inbox.agent_id,
      title: "Handing over",
      text: "{{human.name}} of {{agent.name}} asks a colleague, {{user.id}}. {{user.email}}",
    });
    const filled = await ann.client.talks.fillCannedReply({ ...path, reply_id: canned.reply_id });
    assert.deepEqual(filled, { text: "Ann of Agent asks a colleague, user-7. ", missing: ["user.email"] });
    await ann.client.talks.reply({ ...path, text: filled.text });

    const moved = await ann.client.talks.transfer({ ...path, account_id: bob.accountId });
    assert.deepEqual([moved.holder?.name, moved.is_mine], ["Bob", false]);
    assert.match((await refusal(ann.client.talks.reply({ ...path, text: "And?" }))).message, /Bob has taken/);
    await bob.client.talks.reply({ ...path, text: "Bob here." });
    const shown = await bob.client.talks.get(path);
    assert.deepEqual(
      shown.messages
        .filter(({ sender }) => sender === "user" || sender === "human")
        .map(({ text, author }) => `${author?.name ?? "user"}: ${text}`),
      [
        "user: I want to talk to a person",
        "Ann: Hello, I am Ann.",
        "user: one",
        "user: two",
        `Ann: ${filled.text}`,
        "Bob: Bob here.",
      ],
    );
    assert.deepEqual(
      shown.notes.map(({ text, author }) => [text, author.name]),
      [["A difficult one", "Ann"]],
    );
    const closed = await bob.client.talks.close(path);
    assert.deepEqual([closed.state, closed.reason], ["closed", "human_closed"]);
    assert.equal((await refusal(bob.client.talks.reply({ ...path, text: "Too late" }))).code, 40900);
    await agent.ask(conversationId, PAIR.question);
    await eventually("the agent answers", () => inbox.told().includes(`ai: ${PAIR.answer}`), wait);
    const told = inbox.told();
    assert.deepEqual(
      told.filter((line) => line.startsWith("human")),
      ["human: Hello, I am Ann.", `human: ${filled.text}`, "human: Bob here."],
    );
    assert.ok(!JSON.stringify(agent.arrived().map(({ body }) => body)).includes("A difficult one"));

    const { list: audited } = await operator.audit.list({ agent_id: inbox.agent_id, limit: 100 });
    assert.deepEqual(
      audited
        .filter(({ subject_id }) => subject_id === path.talk_id)
        .map(({ action, actor_name }) => `${action} ${actor_name?.split(" ")[0]}`)
        .filter((line) => !line.startsWith("inbox.read"))
        .toReversed(),
      ["inbox.take Ann", "inbox.note Ann", "inbox.transfer Ann", "inbox.close Bob"],
    );
  });

  it("inbox: of ten people who take a chat at once on two nodes one succeeds, and the others learn who", async () => {
    const inbox = await makeInbox(bed);
    const people = await Promise.all(
      Array.from({ length: 5 }, (_, index) => inbox.join(`Person ${index + 1}`)),
    );
    for (const round of [1, 2, 3]) {
      const { path } = await inbox.open(`user-${round}`);
      const tries = people.flatMap(({ name, clients }) => clients.map((client) => ({ name, client })));
      assert.equal(tries.length, 10);
      const outcomes = await Promise.all(
        tries.map(({ name, client }) =>
          client.talks.take(path).then(
            ({ holder }) => ({ name, holder: holder?.name, refused: "" }),
            (error: unknown) => ({ name, holder: undefined, refused: String(error) }),
          ),
        ),
      );
      const { holder } = await operator.talks.get(path);
      const winners = outcomes.filter((outcome) => outcome.holder !== undefined);
      // The winner's other window holds it too.
      assert.deepEqual([...new Set(winners.map(({ name }) => name))], [holder?.name]);
      const losers = outcomes.filter(({ name }) => name !== holder?.name);
      assert.equal(losers.length, 8);
      for (const { refused } of losers) assert.match(refused, new RegExp(`${holder?.name} has taken`));
    }
    const { list } = await operator.audit.list({ agent_id: inbox.agent_id, limit: 100 });
    assert.equal(list.filter(({ action }) => action === "inbox.take").length, 3);
  });

  it("inbox: a viewer is refused, and support of another agent sees nothing", async () => {
    const [inbox, theirs] = [await makeInbox(bed), await makeInbox(bed)];
    const { path } = await inbox.open();
    const viewer = await inbox.join("Vera", "viewer");
    const stranger = await theirs.join("Sam");
    const { agent_id } = inbox;
    for (const [client, code] of [
      [viewer.client, 40300],
      [stranger.client, 40401],
    ] as const) {
      const calls = [
        () => client.talks.search({ agent_id, view: "waiting" }),
        () => client.talks.get(path),
        () => client.talks.take(path),
        () => client.talks.reply({ ...path, text: "Hello" }),
        () => client.talks.close(path),
        () => client.talks.addNote({ ...path, text: "Note" }),
        () => client.inbox.listMembers({ agent_id }),
      ];
      for (const call of calls) assert.equal((await refusal(call())).code, code);
    }
    const below = { ...path, agent_id: theirs.agent_id };
    assert.equal((await refusal(stranger.client.talks.get(below))).code, 40401);
    assert.equal((await refusal(stranger.client.talks.take(below))).code, 40401);
    const to = { ...path, account_id: viewer.accountId };
    assert.equal((await refusal(operator.talks.transfer(to))).code, 40000);
    assert.equal((await operator.talks.get(path)).state, "waiting");
  });

  it("inbox: each view lists its chats page by page, and words find closed ones", async () => {
    const inbox = await makeInbox(bed);
    const { agent_id } = inbox;
    const [ann, bob] = [await inbox.join("Ann"), await inbox.join("Bob")];
    const opened = [];
    for (const name of ["a", "b", "c", "d"]) opened.push(await inbox.open(`user-${name}`));
    const [first, second, third, fourth] = opened.map(({ path }) => path);
    assert.ok(first && second && third && fourth);
    const usersOf = async (client: Client, view: "waiting" | "mine" | "team" | "closed") => {
      const users: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.talks.search({ agent_id, view, limit: 1, ...(cursor && { cursor }) });
        users.push(...page.list.map(({ user }) => user.user_id ?? ""));
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      return users;
    };
    assert.deepEqual(await usersOf(ann.client, "waiting"), ["user-a", "user-b", "user-c", "user-d"]);
    await ann.client.talks.take(second);
    await bob.client.talks.take(third);
    await bob.client.talks.reply({ ...fourth, text: "The zebra is out of stock." });
    await bob.client.talks.close(fourth);
    assert.deepEqual(await usersOf(ann.client, "waiting"), ["user-a"]);
    assert.deepEqual(await usersOf(ann.client, "mine"), ["user-b"]);
    assert.deepEqual((await usersOf(ann.client, "team")).toSorted(), ["user-b", "user-c"]);
    assert.deepEqual(await usersOf(ann.client, "closed"), ["user-d"]);
    const { counts } = await bob.client.talks.search({ agent_id, view: "closed" });
    assert.deepEqual(counts, { waiting: 1, mine: 1, team: 2 });
    const found = async (text: string) =>
      (await ann.client.talks.search({ agent_id, view: "closed", text })).list.map(
        ({ user }) => user.user_id,
      );
    assert.deepEqual([await found("zebr"), await found("giraffe")], [["user-d"], []]);

    const again = await inbox.open("user-d");
    const { earlier_talks } = await ann.client.talks.get(again.path);
    assert.deepEqual(
      earlier_talks.map(({ talk_id, holder }) => [talk_id, holder?.name]),
      [[fourth.talk_id, "Bob"]],
    );
  });

  it("inbox: chats are offered by turn to people who are available, and return to the queue when they leave", async () => {
    const inbox = await makeInbox(bed, { inbox: { assignment: "turn" } });
    const { agent_id } = inbox;
    const [ann, bob] = [await inbox.join("Ann"), await inbox.join("Bob")];
    const offers = async () => {
      const { list } = await operator.talks.search({ agent_id, view: "waiting" });
      return list.map(({ offered_to }) => offered_to?.name ?? null);
    };
    await inbox.open("user-1");
    assert.deepEqual(await offers(), [null]);
    const { list: members } = await ann.client.inbox.setPresence({ agent_id, presence: "available" });
    assert.deepEqual(
      members.map(({ name, presence, is_me }) => [name, presence, is_me]),
      [
        ["Ann", "available", true],
        ["Bob", "away", false],
      ],
    );
    assert.deepEqual(await offers(), ["Ann"]);
    await bob.client.inbox.setPresence({ agent_id, presence: "available" });
    await inbox.open("user-2");
    await inbox.open("user-3");
    assert.deepEqual(await offers(), ["Ann", "Bob", "Ann"]);
    const mine = await bob.client.talks.search({ agent_id, view: "mine" });
    assert.deepEqual(
      mine.list.map(({ user }) => user.user_id),
      ["user-2"],
    );
    await ann.client.inbox.setPresence({ agent_id, presence: "away" });
    assert.deepEqual(await offers(), ["Bob", "Bob", "Bob"]);
    // Bob closes his browser and says nothing.
    await bed.database.query(
      "update inbox_presence set set_at = now() - interval '1 hour' where agent_id = $1",
      [agent_id],
    );
    await eventually(
      "all are in the queue",
      async () => (await offers()).every((name) => name === null),
      wait,
    );
    assert.equal((await refusal(operator.inbox.setPresence({ agent_id, presence: "away" }))).code, 40900);
  });

  it("inbox: answers are suggested from the agent's knowledge for the user's last words", async () => {
    const inbox = await makeInbox(bed, { agent: { qaList: [PAIR] } });
    const ann = await inbox.join("Ann");
    const { path, conversationId } = await inbox.open();
    await ann.client.talks.take(path);
    await inbox.agent.ask(conversationId, "Do you repair a zipper?");
    const { question, list } = await ann.client.talks.suggestAnswers(path);
    assert.equal(question, "Do you repair a zipper?");
    assert.equal(list[0]?.answer, PAIR.answer);
  });

  it("inbox: the stream of changes names a chat when it opens and when its user writes", async () => {
    const inbox = await makeInbox(bed);
    const ann = await inbox.join("Ann");
    const leaving = new AbortController();
    const heard: string[] = [];
    let isReady = false;
    const following = (async () => {
      const [, other = ann.client] = ann.clients;
      const stream = other.service.followChanges({ agent_id: inbox.agent_id }, { signal: leaving.signal });
      for await (const { event, data } of stream) {
        if (event === "ready") isReady = true;
        else if (event === "changed") heard.push(...data.talk_ids);
      }
    })().catch(() => undefined);
    await eventually("it listens", () => isReady, wait);
    const { path, conversationId } = await inbox.open();
    await eventually("it is told", () => heard.includes(path.talk_id), wait);
    await ann.client.talks.reply({ ...path, text: "Hello" });
    await eventually("the reply is over", async () => {
      heard.length = 0;
      const { waiting_since } = await ann.client.talks.get(path);
      return waiting_since === null;
    });
    await inbox.agent.ask(conversationId, "Are you there?");
    await eventually("it is told again", () => heard.includes(path.talk_id), wait);
    leaving.abort();
    await following;
  });

  it("inbox: a user's erasure takes notes, chats and remembered answers with it, and the export names the notes", async () => {
    const inbox = await makeInbox(bed);
    const { agent_id } = inbox;
    const ann = await inbox.join("Ann");
    const [user, note, words] = [newCanary("user"), newCanary("note"), newCanary("words")];
    const { path } = await inbox.open(user.value);
    await ann.client.talks.take(path, { idempotencyKey: randomUUID() });
    await ann.client.talks.addNote({ ...path, text: note.value }, { idempotencyKey: randomUUID() });
    await ann.client.talks.reply({ ...path, text: words.value }, { idempotencyKey: randomUUID() });
    await ann.client.talks.close(path, { idempotencyKey: randomUUID() });
    const exported = await operator.users.export({ agent_id, user_id: user.value });
    assert.deepEqual(
      exported.conversations.flatMap(({ notes }) => notes.map(({ actor_name, text }) => [actor_name, text])),
      [["Ann", note.value]],
    );
    const { erasure_id } = await operator.users.erase({ agent_id, user_id: user.value });
    const isFinished = async () => (await operator.users.getErasure({ erasure_id })).state === "finished";
    await eventually("the erasure is finished", isFinished, wait);
    assert.deepEqual(placesByCanary(await searchDatabase(bed, [user, note, words])), {});
    assert.equal((await refusal(ann.client.talks.get(path))).code, 40401);
  });

  it("inbox: a role for the whole installation answers for every agent", async () => {
    const inbox = await makeInbox(bed);
    const lead = await personAt(bed, { name: "Lea", role: "support" });
    const { path } = await inbox.open();
    assert.equal((await lead.client.talks.take(path)).holder?.name, "Lea");
    const { list } = await lead.client.inbox.listMembers({ agent_id: inbox.agent_id });
    assert.ok(list.some(({ account_id, open_count }) => account_id === lead.accountId && open_count === 1));
  });
});

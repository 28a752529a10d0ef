import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Client } from "@signalbox/sdk";
import { operatorOf } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { closedNow } from "../support/desk.ts";
import { makeInbox, type MadeInbox, type Person } from "../support/inbox.ts";
import { eventually } from "../support/processes.ts";

const wait = { timeoutMs: 30_000 };

describe("inbox when people come and go", { concurrency: 3 }, () => {
  let bed: Bed;
  let operator: Client;
  before(async () => {
    bed = await openBed({ apis: 1, workers: 1 });
    operator = operatorOf(bed);
  });
  after(() => bed[Symbol.asyncDispose]());

  const come = ({ agent_id }: MadeInbox, { client }: Person) =>
    client.inbox.setPresence({ agent_id, presence: "available" });
  /** Who each waiting chat is offered to. */
  const offers = async ({ agent_id }: MadeInbox) => {
    const { list } = await operator.talks.search({ agent_id, view: "waiting" });
    return list.map(({ offered_to }) => offered_to?.name ?? "nobody");
  };
  const lapse = ({ agent_id }: MadeInbox) =>
    bed.database.query("update inbox_presence set set_at = now() - interval '1 hour' where agent_id = $1", [
      agent_id,
    ]);

  it("inbox: chats are offered by load to the person with the fewest, held and offered ones together", async () => {
    const inbox = await makeInbox(bed, { inbox: { assignment: "load" } });
    const [ann, bob] = [await inbox.join("Ann"), await inbox.join("Bob")];
    const held = [await inbox.open("user-a"), await inbox.open("user-b")];
    for (const { path } of held) await ann.client.talks.take(path);
    await come(inbox, ann);
    await come(inbox, bob);
    for (const user of ["c", "d"]) await inbox.open(`user-${user}`);
    assert.deepEqual(await offers(inbox), ["Bob", "Bob"]);
    await ann.client.talks.close(held[0]?.path ?? assert.fail());
    await inbox.open("user-e");
    assert.deepEqual(await offers(inbox), ["Bob", "Bob", "Ann"]);
  });

  it("inbox: a chat offered to somebody whose presence lapses waits for everybody, and a held one stays with its holder", async () => {
    const inbox = await makeInbox(bed, { inbox: { assignment: "turn" } });
    const { agent_id } = inbox;
    const [ann, bob] = [await inbox.join("Ann"), await inbox.join("Bob")];
    await come(inbox, ann);
    const held = await inbox.open("user-held");
    await ann.client.talks.reply({ ...held.path, text: "Hello" });
    const waiting = await inbox.open("user-waiting");
    assert.deepEqual(await offers(inbox), ["Ann"]);
    await lapse(inbox);
    await eventually("it waits", async () => (await offers(inbox))[0] === "nobody", wait);
    const { list } = await bob.client.inbox.listMembers({ agent_id });
    assert.ok(list.every(({ presence }) => presence === "away"));
    assert.equal((await operator.talks.get(held.path)).holder?.name, "Ann");
    // The next person to arrive is offered the waiting chat, and may take over the held one.
    await come(inbox, bob);
    assert.deepEqual(await offers(inbox), ["Bob"]);
    await bob.client.talks.take(waiting.path);
    const over = await bob.client.talks.transfer({ ...held.path, account_id: bob.accountId });
    assert.equal(over.holder?.name, "Bob");
  });

  it("inbox: while nobody is there, the agent answers again after the times for a first and a next reply", async () => {
    const PAIR = { question: "Do you repair zippers?", answer: "Yes, within a week." };
    const inbox = await makeInbox(bed, { agent: { qaList: [PAIR] } });
    const { agent_id, agent } = inbox;
    const ann = await inbox.join("Ann");
    await come(inbox, ann);
    const held = await inbox.open("user-held");
    const soon = { seconds: 1, warn_seconds: 0 };
    await operator.handoffs.setSettings({ agent_id, timers: { human_idle: soon } });
    await ann.client.talks.reply({ ...held.path, text: "One moment" });
    await agent.ask(held.conversationId, "Are you there?");
    await lapse(inbox);
    const reasonOf = (path: { agent_id: string; talk_id: string }) =>
      eventually(
        "it is closed",
        async () => {
          const { state, reason } = await operator.talks.get(path);
          return state === "closed" && reason;
        },
        wait,
      );
    assert.equal(await reasonOf(held.path), "human_idle");
    await operator.inbox.set({ agent_id, first_reply: soon });
    const waiting = await inbox.open("user-waiting");
    assert.equal(await reasonOf(waiting.path), "first_reply");
    await agent.ask(waiting.conversationId, PAIR.question);
    await eventually("the agent answers", () => inbox.told().includes(`ai: ${PAIR.answer}`), wait);
  });

  it("inbox: open chats stay when the opening hours end, and later users leave a message", async () => {
    const inbox = await makeInbox(bed);
    const { agent_id, agent } = inbox;
    const ann = await inbox.join("Ann");
    const [held, waiting] = [await inbox.open("user-held"), await inbox.open("user-waiting")];
    await ann.client.talks.take(held.path);
    await operator.inbox.set({ agent_id, business_hours: closedNow() });
    const conversation_id = await agent.converse({ email: "late@example.org" });
    assert.equal((await agent.client.handoffs.request({ conversation_id })).outcome, "away");
    await ann.client.talks.reply({ ...held.path, text: "I am still here." });
    await ann.client.talks.reply({ ...waiting.path, text: "And here." });
    await eventually("the user reads it", () => inbox.told().includes("human: And here."), wait);
    assert.ok(inbox.told().includes("human: I am still here."));
    assert.equal((await ann.client.talks.close(held.path)).reason, "human_closed");
  });
});

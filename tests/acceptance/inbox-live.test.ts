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
    const { conversation_id } = await visitor.client.beginChat();
    const say = (text: string) => visitor.client.sayInChat({ conversation_id, text });
    const stream = await followChat(visitor, conversation_id);
    await stream.heard("ready");
    await say("Hello?");
    await visitor.client.askForPerson({ conversation_id });
    const { agent_id } = inbox;
    const talk = await eventually("the chat waits in the inbox", async () => {
      const { list } = await operator.searchTalks({ agent_id, view: "waiting" });
      return list.find((one) => one.conversation_id === conversation_id);
    });
    return { visitor, conversation_id, say, stream, path: { agent_id, talk_id: talk.talk_id } };
  }

  /** What a stream of changes tells of chats, in order. */
  async function followTalks(client: Client, agent_id: string) {
    const leaving = new AbortController();
    const typed: string[] = [];
    const opened = Promise.withResolvers<void>();
    const following = (async () => {
      for await (const { event, data } of client.followChanges({ agent_id }, { signal: leaving.signal })) {
        if (event === "ready") opened.resolve();
        if (event === "typing") typed.push(`${data.agent_id} ${data.talk_id}`);
      }
    })().catch(() => undefined);
    await opened.promise;
    return {
      typed,
      async [Symbol.asyncDispose]() {
        leaving.abort();
        await following;
      },
    };
  }

  /** Which transaction last wrote to the rows of its chats. */
  const versions = (agentId: string) =>
    bed.database.query(
      ["inbox_talk", "message", "audit"]
        .map(
          (table) =>
            `select '${table}' as row, count(*) as rows, max(xmin::text::bigint) as written from ${table} where agent_id = $1`,
        )
        .join(" union all "),
      [agentId],
    );

  it("inbox: the user sees the name of the holder who types, on any node, and nothing is written", async () => {
    const inbox = await makeInbox(bed);
    const [ann, bob] = [await inbox.join("Ann, née Li"), await inbox.join("Bob")];
    const { stream, path } = await openInWidget(inbox);
    assert.match((await refusal(ann.client.typeInTalk(path))).message, /take this chat first/);
    await ann.client.takeTalk(path);
    const before = await versions(inbox.agent_id);
    await ann.client.typeInTalk(path);
    await stream.heard("typing Ann, née Li");
    assert.deepEqual(await versions(inbox.agent_id), before);
    assert.match((await refusal(bob.client.typeInTalk(path))).message, /Ann, née Li has taken/);
    await ann.client.closeTalk(path);
    assert.match((await refusal(ann.client.typeInTalk(path))).message, /closed/);
    assert.equal(stream.story().filter((line) => line.startsWith("typing A")).length, 1);
    await stream.leave();
  });

  it("inbox: the team sees that a user types to a human; other agents and chats with the agent do not show it", async () => {
    const [inbox, other] = [await makeInbox(bed), await makeInbox(bed)];
    const ann = await inbox.join("Ann");
    await using ours = await followTalks(ann.client, inbox.agent_id);
    await using theirs = await followTalks(operator, other.agent_id);
    const visitor = await openBrowser(bed, inbox.agent, { user_id: "user-2" }, 1);
    const { conversation_id } = await visitor.client.beginChat();
    await visitor.client.typeInChat({ conversation_id });
    const waiting = await openInWidget(inbox);
    const before = await versions(inbox.agent_id);
    await waiting.visitor.client.typeInChat({ conversation_id: waiting.conversation_id });
    await eventually("the team is told", () => ours.typed.length > 0, wait);
    assert.deepEqual(ours.typed, [`${inbox.agent_id} ${waiting.path.talk_id}`]);
    assert.deepEqual(await versions(inbox.agent_id), before);
    assert.deepEqual(theirs.typed, []);
    const stranger = await openBrowser(bed, inbox.agent, { user_id: "user-3" });
    const { conversation_id: foreign } = waiting;
    assert.equal((await refusal(stranger.client.typeInChat({ conversation_id: foreign }))).code, 40358);
    await waiting.stream.leave();
  });

  it("a desk shows by POST /v1/human/typing that a human types, until the handoff ends", async () => {
    const [desk, other] = [await makeDesk(bed), await makeDesk(bed)];
    const visitor = await openBrowser(bed, desk.agent, {}, 1);
    const { conversation_id } = await visitor.client.beginChat();
    const stream = await followChat(visitor, conversation_id);
    await stream.heard("ready");
    await visitor.client.askForPerson({ conversation_id });
    await desk.arrived("establish");
    const handoff = { conversation_id: desk.calls()[0]?.handoffId ?? "" };
    await desk.agent.client.typeAsHuman({ ...handoff, human_name: "Ada" });
    await stream.heard("typing Ada");
    await desk.agent.client.typeAsHuman(handoff);
    await stream.heard("typing");
    assert.equal((await refusal(other.agent.client.typeAsHuman(handoff))).code, 40356);
    await desk.close(handoff.conversation_id);
    assert.equal((await refusal(desk.agent.client.typeAsHuman(handoff))).code, 40900);
    await stream.leave();
  });
});

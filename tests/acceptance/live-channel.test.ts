import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentResponseMessage } from "@signalbox/contract";
import { createClient } from "@signalbox/sdk";
import { makeAgent, operatorOf, refusal, type AgentToMake } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { makeDesk } from "../support/desk.ts";
import { followChat } from "../support/followed-chat.ts";
import { eventually } from "../support/processes.ts";
import { sendRequest } from "../support/wire.ts";
import { openBrowser, type BrowserArguments, type Visitor } from "./chat-browser.ts";
import { ratingTests } from "./ratings.ts";

const QA = [{ question: "When do you open?", answer: "At nine." }];

describe("live channel", { concurrency: 4 }, () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed();
  });
  after(() => bed[Symbol.asyncDispose]());

  const browserOf = (...given: BrowserArguments) => openBrowser(bed, ...given);
  const begin = async (wanted: AgentToMake = {}) => {
    const agent = await makeAgent(bed, { qaList: QA, ...wanted });
    const visitor = await browserOf(agent);
    const { conversation_id } = await visitor.client.chats.begin();
    return { agent, visitor, conversation_id };
  };

  ratingTests(
    (title, run) => void it(title, run),
    () => bed,
  );

  it("the live channel streams user messages and answers in order, with the browser's own ids", async () => {
    const { visitor, conversation_id } = await begin();
    const stream = await followChat(visitor, conversation_id);
    await stream.heard("ready");
    const { message_id } = await visitor.client.chats.say({
      conversation_id,
      text: "When do you open?",
      client_id: "mine-1",
    });
    await stream.heard("ai: At nine.");
    const lines = stream.story().filter((line) => line !== "typing");
    assert.deepEqual(lines, ["control agent", "ready", "user: When do you open?", "ai: At nine."]);
    const [said, answered] = stream.told.filter((told) => told.event === "message");
    assert.deepEqual([said?.data.message_id, said?.data.client_id], [message_id, "mine-1"]);
    assert.deepEqual([said?.id, answered?.id], ["1", "2"]);
    await stream.leave();
  });

  it("the live channel resumes after the client's last event on another node, without loss or repeat", async () => {
    const { agent, visitor, conversation_id } = await begin();
    const first = await followChat(visitor, conversation_id);
    await visitor.client.chats.say({ conversation_id, text: "one" });
    await first.heard("user: one");
    await first.leave();
    const kept = first.lastEventId();
    for (const text of ["two", "three"]) await visitor.client.chats.say({ conversation_id, text });
    const again = await followChat({ ...visitor, baseUrl: bed.api(1).baseUrl }, conversation_id, kept);
    await again.heard("ready");
    await agent.client.conversations.listMessages({ conversation_id });
    await again.heard("user: three");
    assert.ok(!again.story().includes("user: one"), "what was told is not told again");
    const ids = [...first.told, ...again.told].flatMap(({ id }) => (id === undefined ? [] : [Number(id)]));
    assert.deepEqual(
      ids,
      ids.map((_, index) => index + 1),
      "each number once, in order",
    );
    await again.leave();
  });

  it("the live channel streams the whole conversation to a new client, however long it is", async () => {
    const { visitor, conversation_id, agent } = await begin();
    await bed.database.query(
      `with said as (insert into message (agent_id, conversation_id, seq, id, sender, text)
         select $1, $2, n, gen_random_uuid(), 'user', 'number ' || n from generate_series(1, 350) n)
       update conversation set last_seq = 350 where agent_id = $1 and id = $2`,
      [agent.agentId, conversation_id],
    );
    const stream = await followChat(visitor, conversation_id);
    await stream.heard("ready");
    const numbers = stream.told.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]));
    assert.deepEqual(
      numbers,
      Array.from({ length: 350 }, (_, index) => index + 1),
    );
    assert.equal(stream.told.at(-1)?.event, "ready");
    await stream.leave();
  });

  it("the live channel finds messages without a notification, as after a crash between commit and notify", async () => {
    const { agent, visitor, conversation_id } = await begin();
    const stream = await followChat(visitor, conversation_id);
    await stream.heard("ready");
    await bed.database.query(
      `with said as (insert into message (agent_id, conversation_id, seq, id, sender, text)
         values ($1, $2, 1, gen_random_uuid(), 'ai', 'unannounced'))
       update conversation set last_seq = 1 where agent_id = $1 and id = $2`,
      [agent.agentId, conversation_id],
    );
    await stream.heard("ai: unannounced");
    await stream.leave();
  });

  it("the live channel streams a handoff and its end, who speaks, and both sides in order", async () => {
    const desk = await makeDesk(bed, { agent: { qaList: QA } });
    const visitor = await browserOf(desk.agent, { user_id: "user-9" });
    const { conversation_id } = await visitor.client.chats.begin();
    const stream = await followChat({ ...visitor, baseUrl: bed.api(1).baseUrl }, conversation_id);
    await stream.heard("ready");
    assert.deepEqual(await visitor.client.chats.askForPerson({ conversation_id }), { outcome: "requested" });
    await stream.heard("control waiting");
    await desk.arrived("establish");
    const id = desk.calls()[0]?.handoffId ?? "";
    await desk.reply(id, "Ann here.");
    await stream.heard("human: Ann here.");
    await stream.heard("control human");
    const named = { conversation_id: id, timestamp: Date.now(), body: "Bo here.", human_name: "Bo" };
    await desk.agent.client.handoffs.reply(named);
    await stream.heard("human: Bo here.");
    const names = stream.told.flatMap((told) =>
      told.event === "message" && told.data.sender === "human" ? [told.data.name] : [],
    );
    assert.deepEqual(names, [undefined, "Bo"]);
    await visitor.client.chats.say({ conversation_id, text: "Hello Ann" });
    await desk.arrived("chat");
    assert.ok(desk.story().includes("chat Hello Ann"));
    assert.deepEqual(await visitor.client.chats.leavePerson({ conversation_id }), { code: 0, message: "OK" });
    await desk.arrived("close");
    assert.equal(desk.story().at(-1), "close USER_CLOSED");
    assert.equal((await refusal(desk.reply(id, "too late"))).code, 40900);
    await visitor.client.chats.say({ conversation_id, text: "When do you open?" });
    await stream.heard("ai: At nine.");
    const holders = stream.story().filter((line) => line.startsWith("control"));
    assert.deepEqual(holders, ["control agent", "control waiting", "control human", "control agent"]);
    assert.deepEqual(desk.told(), [], "the message webhook hears nothing of it");
    await stream.leave();
  });

  it("live-channel replies are mirrored to the message webhook when configured", async () => {
    const { agent, visitor, conversation_id } = await begin({ webhook: { mirror_live_channel: true } });
    await visitor.client.chats.say({ conversation_id, text: "When do you open?" });
    const [arrived] = await agent.arrivals(1);
    const mirrored = AgentResponseMessage.parse(arrived?.body);
    assert.equal(mirrored.conversation_id, conversation_id);
    assert.equal(mirrored.anonymous_id, visitor.anonymousId);

    const quiet = await begin();
    await quiet.visitor.client.chats.say({
      conversation_id: quiet.conversation_id,
      text: "When do you open?",
    });
    const stream = await followChat(quiet.visitor, quiet.conversation_id);
    await stream.heard("ai: At nine.");
    assert.deepEqual(quiet.agent.arrived(), []);
    await stream.leave();
  });

  it("a chat token opens only its own user's conversations, and none of the API", async () => {
    const { agent, visitor, conversation_id } = await begin();
    const stranger = await browserOf(agent);
    const signedIn = await browserOf(agent, { user_id: "somebody" });
    const otherAgent = await browserOf(await makeAgent(bed));
    const api = await agent.converse();
    const codesOf = async ({ client }: Visitor, id: string) => {
      const calls = [
        client.chats.say({ conversation_id: id, text: "hello" }),
        client.chats.askForPerson({ conversation_id: id }),
        client.chats.leavePerson({ conversation_id: id }),
        client.chats.rate({ conversation_id: id, rating: "good" }),
        Array.fromAsync(client.chats.follow({ conversation_id: id })),
      ];
      return [...new Set(await Promise.all(calls.map(async (call) => (await refusal(call)).code)))];
    };
    assert.deepEqual(await codesOf(stranger, conversation_id), [40358]);
    assert.deepEqual(await codesOf(signedIn, conversation_id), [40358]);
    assert.deepEqual(await codesOf(otherAgent, conversation_id), [40356]);
    assert.deepEqual(await codesOf(visitor, api), [40356]);
  });

  it("the live channel takes attachments by their URL, with or without text, and tells them apart from it", async () => {
    const { visitor, conversation_id } = await begin();
    const stream = await followChat(visitor, conversation_id);
    const image = { type: "image", url: "https://files.example/1", name: "receipt.png" } as const;
    await visitor.client.chats.say({ conversation_id, attachments: [image] });
    await stream.heard("user: [image] receipt.png: https://files.example/1");
    const told = stream.told.find((one) => one.event === "message");
    assert.deepEqual(told?.event === "message" && told.data.attachments, [image]);
    const codeOf = async (input: object) =>
      (await refusal(visitor.client.chats.say({ conversation_id, ...input }))).code;
    assert.equal(await codeOf({}), 40000, "neither text nor a file");
    assert.equal(await codeOf({ attachments: [{ ...image, url: "javascript:alert(1)" }] }), 40000);
    assert.equal(await codeOf({ attachments: Array.from({ length: 21 }, () => image) }), 40000);
    await stream.leave();
  });

  it("a chat token lists its own user's conversations with something said, newest first, and nobody else's", async () => {
    const { agent, visitor, conversation_id } = await begin();
    const chats = async ({ client }: Visitor) =>
      (await client.chats.list()).list.map(({ conversation_id: id, last_message }) => [
        id,
        last_message.text,
      ]);
    assert.deepEqual(await chats(visitor), [], "nothing was said");
    await visitor.client.chats.say({ conversation_id, text: "one" });
    const { conversation_id: second } = await visitor.client.chats.begin();
    await visitor.client.chats.say({ conversation_id: second, text: "two" });
    const mine = [second, conversation_id];
    const ids = async (who: Visitor) => (await chats(who)).map(([id]) => id);
    assert.deepEqual(await ids(visitor), mine);
    assert.deepEqual(await chats(await browserOf(agent)), [], "of another visitor");
    const both = { user_id: "user-8", anonymous_id: visitor.anonymousId };
    const signedIn = await browserOf(agent, both);
    assert.deepEqual(await ids(signedIn), mine);
    await signedIn.client.chats.say({ conversation_id: second, text: "now signed in" });
    assert.deepEqual(await ids(signedIn), mine);
    assert.deepEqual(
      await ids(visitor),
      [conversation_id],
      "what a signed-in user went on with is theirs alone",
    );
  });

  it("a visitor who signs in keeps the conversation, and from then on nobody else has it", async () => {
    const { agent, visitor, conversation_id } = await begin();
    const asVisitor = await followChat(visitor, conversation_id);
    await asVisitor.heard("ready");
    const both = { user_id: "user-5", anonymous_id: visitor.anonymousId };
    const signedIn = await browserOf(agent, both);
    await signedIn.client.chats.say({ conversation_id, text: "still me" });
    assert.equal(
      await Promise.race([asVisitor.ended, sleep(20_000, "still open", { ref: false })]),
      undefined,
    );
    const byVisitor = await refusal(visitor.client.chats.say({ conversation_id, text: "let me in" }));
    assert.equal(byVisitor.code, 40358, "the visitor's id alone no longer opens it");
    await agent.client.users.bind({
      user_id: "user-6",
      anonymous_ids: [{ anonymous_id: visitor.anonymousId, conversation_type: "WIDGET" }],
    });
    const other = await browserOf(agent, { user_id: "user-6", anonymous_id: visitor.anonymousId });
    const byOther = await refusal(other.client.chats.say({ conversation_id, text: "it is mine now" }));
    assert.equal(byOther.code, 40358, "a later binding does not hand it to another user");
    await signedIn.client.chats.say({ conversation_id, text: "and still me" });
  });

  it("a visitor who knows a signed-in user's anonymous_id does not get that conversation", async () => {
    const agent = await makeAgent(bed, { qaList: QA });
    const anonymous_id = "widget:known-to-a-stranger";
    const signedIn = await browserOf(agent, { user_id: "user-7", anonymous_id });
    const { conversation_id } = await signedIn.client.chats.begin();
    await signedIn.client.chats.say({ conversation_id, text: "my secret" });
    const stranger = await browserOf(agent, { anonymous_id });
    assert.equal((await refusal(stranger.client.chats.say({ conversation_id, text: "hi" }))).code, 40358);
    const overheard = Array.fromAsync(stranger.client.chats.follow({ conversation_id }));
    assert.equal((await refusal(overheard)).code, 40358);
  });

  it("a visitor keeps the conversation when set-userid names the user", async () => {
    const { agent, visitor, conversation_id } = await begin();
    const { anonymousId: anonymous_id } = visitor;
    await agent.client.users.bind({
      user_id: "user-8",
      anonymous_ids: [{ anonymous_id, conversation_type: "WIDGET" }],
    });
    await visitor.client.chats.say({ conversation_id, text: "still here" });
    const foreign = await browserOf(agent, { user_id: "user-9", anonymous_id });
    const refused = await refusal(foreign.client.chats.say({ conversation_id, text: "not mine" }));
    assert.equal(refused.code, 40358);
    const named = await browserOf(agent, { user_id: "user-8" });
    await named.client.chats.say({ conversation_id, text: "now signed in" });
    assert.equal(
      (await refusal(visitor.client.chats.say({ conversation_id, text: "as visitor" }))).code,
      40358,
    );
  });

  it("a signed-in user has an anonymous id too, which replies and handoffs carry", async () => {
    const agent = await makeAgent(bed, { qaList: QA, webhook: { mirror_live_channel: true } });
    const user = await browserOf(agent, { user_id: "user-8" });
    assert.match(user.anonymousId, /^widget:.{20,}/);
    const { conversation_id } = await user.client.chats.begin();
    await user.client.chats.say({ conversation_id, text: "When do you open?" });
    const [arrived] = await agent.arrivals(1);
    const { user_id, anonymous_id } = AgentResponseMessage.parse(arrived?.body);
    assert.deepEqual([user_id, anonymous_id], ["user-8", user.anonymousId]);
  });

  it("the live channel accepts only valid tokens minted by the developer's server", async () => {
    const agent = await makeAgent(bed);
    const { token } = await agent.client.chatTokens.mint({ user_id: "user-1" });
    const changed = token.slice(0, -2) + (token.endsWith("AA") ? "BB" : "AA");
    for (const chatToken of [agent.apiKey, bed.operatorToken, changed, "x", token.slice(0, 20)]) {
      const client = createClient({ baseUrl: bed.baseUrl, chatToken, retries: 0 });
      assert.equal((await refusal(client.chats.begin())).code, 40127);
    }
    const byToken = createClient({ baseUrl: bed.baseUrl, apiKey: token, retries: 0 });
    assert.equal((await refusal(byToken.keys.verify())).code, 40127, "it opens nothing else");
    const { expire_time } = await agent.client.chatTokens.mint({ expires_in_seconds: 60 });
    assert.ok(Math.abs(expire_time - Date.now() - 60_000) < 20_000);
    const gone = createClient({ baseUrl: bed.baseUrl, chatToken: token, retries: 0 });
    const { conversation_id } = await gone.chats.begin();
    await operatorOf(bed).agents.delete({ agent_id: agent.agentId });
    assert.equal((await refusal(gone.chats.begin())).code, 40378);
    assert.equal((await refusal(gone.chats.say({ conversation_id, text: "hello" }))).code, 40378);
  });

  it("a chat message sent repeatedly with one key is stored once", async () => {
    const { agent, visitor, conversation_id } = await begin();
    const options = { idempotencyKey: randomUUID() };
    const said = { conversation_id, text: "once" };
    const first = await visitor.client.chats.say(said, options);
    assert.deepEqual(await visitor.client.chats.say(said, options), first);
    const { conversation_content } = await agent.client.conversations.listMessages({ conversation_id });
    assert.equal(conversation_content.filter(({ role }) => role === "user").length, 1);
  });

  it("the live channel can be called from another origin (CORS)", async () => {
    const { visitor, conversation_id } = await begin();
    const path = `/chat/v1/conversations/${conversation_id}/messages`;
    const asked = await sendRequest(bed.baseUrl, {
      method: "OPTIONS",
      path,
      headers: { origin: "https://shop.example", "access-control-request-method": "POST" },
    });
    assert.equal(asked.status, 204);
    assert.equal(asked.headers["access-control-allow-origin"], "*");
    assert.match(asked.headers["access-control-allow-headers"] ?? "", /authorization.*last-event-id/);
    const refused = await fetch(`${visitor.baseUrl}${path}`, { method: "POST" });
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get("access-control-allow-origin"), "*", "a page may read why");
    const operators = await sendRequest(bed.baseUrl, { method: "OPTIONS", path: "/admin/v1/agents" });
    assert.equal(operators.status, 404, "nothing else is open to pages");
  });
});

describe("live stream", () => {
  it("a live stream shows that the agent is working while the user waits", async () => {
    await using bed = await openBed({ workers: 1 });
    const agent = await makeAgent(bed, { qaList: QA });
    const { token: chatToken } = await agent.client.chatTokens.mint({});
    const client = createClient({ baseUrl: bed.baseUrl, chatToken });
    const { conversation_id } = await client.chats.begin();
    const stream = await followChat({ baseUrl: bed.baseUrl, chatToken }, conversation_id);
    await stream.heard("ready");
    await bed.worker().stop();
    await client.chats.say({ conversation_id, text: "When do you open?" });
    await stream.heard("typing");
    await bed.worker().start();
    await stream.heard("ai: At nine.", 30_000);
    await stream.leave();
  });

  it("a live stream ends when its node stops, and the client resumes at another", async () => {
    await using bed = await openBed();
    const agent = await makeAgent(bed, { qaList: QA });
    const { token: chatToken } = await agent.client.chatTokens.mint({});
    const [here, there] = [bed.api(0), bed.api(1)];
    const client = createClient({ baseUrl: there.baseUrl, chatToken });
    const { conversation_id } = await client.chats.begin();
    const stream = await followChat({ baseUrl: here.baseUrl, chatToken }, conversation_id);
    const following = new AbortController();
    const comesBack = createClient({ baseUrls: [here.baseUrl, there.baseUrl], chatToken });
    const told: string[] = [];
    const followed = (async () => {
      const events = comesBack.chats.follow({ conversation_id }, { signal: following.signal });
      for await (const event of events)
        if (event.event === "message") told.push(`${event.id} ${event.data.text}`);
    })();
    await client.chats.say({ conversation_id, text: "When do you open?" });
    await stream.heard("ai: At nine.");
    assert.equal(await here.stop(), 0, "a stream does not hold up a node that stops");
    await stream.ended;
    await client.chats.say({ conversation_id, text: "And on Sundays, when do you open?" });
    await eventually("the client is told what was said meanwhile", () => told.length >= 4);
    following.abort();
    await followed;
    assert.deepEqual(told, [
      "1 When do you open?",
      "2 At nine.",
      "3 And on Sundays, when do you open?",
      "4 At nine.",
    ]);
  });
});

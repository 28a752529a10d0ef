import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { Client } from "@signalbox/sdk";
import { operatorOf, refusal } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { closedNow } from "../support/desk.ts";
import { makeInbox } from "../support/inbox.ts";
import { eventually } from "../support/processes.ts";
import { JSON_TYPE, sendRequest } from "../support/wire.ts";

const wait = { timeoutMs: 30_000 };

describe("receiver of the inbox", () => {
  let bed: Bed;
  let operator: Client;
  before(async () => {
    bed = await openBed();
    operator = operatorOf(bed);
  });
  after(() => bed[Symbol.asyncDispose]());

  /** As a worker signs it. */
  async function callInbox(
    inbox: { componentId: string; secret: string },
    path: string,
    body: object,
    { id = randomUUID(), at = Date.now(), api = 0 } = {},
  ) {
    const bytes = JSON.stringify(body);
    const timestamp = String(Math.floor(at / 1000));
    const key = Buffer.from(inbox.secret.replace("whsec_", ""), "base64");
    const digest = createHmac("sha256", key).update(`${id}.${timestamp}.${bytes}`).digest("base64");
    return sendRequest(bed.api(api).baseUrl, {
      method: "POST",
      path: `/inbox/v1/${inbox.componentId}${path}`,
      headers: {
        ...JSON_TYPE,
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": `v1,${digest}`,
      },
      body: bytes,
    });
  }

  async function withSecret(inbox: { agent_id: string; componentId: string }) {
    const { agent_id, componentId } = inbox;
    const rotated = await operator.desks.rotateSecret({
      agent_id,
      component_id: componentId,
      overlap_seconds: 3_600,
    });
    return { componentId, secret: rotated.signing_secret };
  }

  const establishOf = ({ agent_id }: { agent_id: string }, handoffId: string) => ({
    conversation_id: handoffId,
    timestamp: Date.now(),
    email: null,
    bot_id: agent_id,
    body: [],
    user_info: { phone: null, email: null, user_id: "user-1", anonymous_id: null },
  });

  it("inbox: its calls are deliveries like any desk's, and the operator's webhook check reaches it", async () => {
    const inbox = await makeInbox(bed);
    const { talk } = await inbox.open();
    const { list } = await operator.deliveries.list({
      agent_id: inbox.agent_id,
      webhook_id: inbox.componentId,
    });
    assert.deepEqual(
      list.map(({ event, conversation_id }) => [event, conversation_id]),
      [["handoff_requested", talk.conversation_id]],
    );
    const { results } = await operator.webhooks.diagnose({ agent_id: inbox.agent_id });
    assert.deepEqual(
      results.filter(({ type }) => type === "human_service").map(({ http_status }) => http_status),
      [200],
    );
    const { list: services } = await operator.desks.list({ agent_id: inbox.agent_id });
    assert.deepEqual(
      services.map(({ kind }) => kind),
      ["inbox"],
    );
    const elsewhere = { agent_id: inbox.agent_id, component_id: inbox.componentId, url: bed.receiver.url };
    assert.equal((await refusal(operator.desks.update(elsewhere))).code, 40900);
  });

  it("4.3 does not list the built-in inbox, because nobody configured its URL", async () => {
    const inbox = await makeInbox(bed);
    await inbox.agent.component({ name: "Own desk" });
    const { results } = await inbox.agent.client.webhooks.check({});
    assert.deepEqual(
      results.map(({ type, component_name }) => [type, component_name]),
      [
        ["message", null],
        ["human_service", "Own desk"],
      ],
    );
    assert.ok(!JSON.stringify(results).includes("/inbox/"));
  });

  it("inbox: a call that is repeated, by worker or by replay, changes nothing", async () => {
    const inbox = await makeInbox(bed);
    const ann = await inbox.join("Ann");
    const { talk, path, conversationId } = await inbox.open();
    await ann.client.talks.reply({ ...path, text: "Hello" });
    await inbox.agent.ask(conversationId, "one");
    const signed = await withSecret(inbox);
    const common = { conversation_id: talk.talk_id, timestamp: Date.now() };
    const establish = establishOf(inbox, talk.talk_id);
    const before = await ann.client.talks.get(path);
    for (const api of [0, 1]) {
      assert.equal((await callInbox(signed, "/conversation/establish", establish, { api })).status, 200);
      assert.equal((await callInbox(signed, "/chat", { ...common, body: "one" }, { api })).status, 200);
    }
    assert.deepEqual(await ann.client.talks.get(path), before);
    await ann.client.talks.close(path);
    assert.equal((await callInbox(signed, "/conversation/establish", establish)).status, 200);
    const close = { ...common, type: "TIMEOUT" };
    assert.equal((await callInbox(signed, "/conversation/close", close)).status, 200);
    const after = await ann.client.talks.get(path);
    assert.deepEqual([after.state, after.reason], ["closed", "human_closed"]);
    assert.deepEqual((await ann.client.talks.search({ agent_id: inbox.agent_id, view: "waiting" })).list, []);
  });

  it("inbox: a call without a valid signature is refused and does nothing", async () => {
    const inbox = await makeInbox(bed);
    const { talk, path } = await inbox.open();
    const signed = await withSecret(inbox);
    const close = { conversation_id: talk.talk_id, timestamp: Date.now(), type: "USER_CLOSED" };
    const forged = { ...signed, secret: `whsec_${Buffer.from("another secret").toString("base64")}` };
    const other = await withSecret(await makeInbox(bed));
    const attempts = [
      await callInbox(forged, "/conversation/close", close),
      await callInbox({ ...signed, secret: other.secret }, "/conversation/close", close),
      await callInbox(signed, "/conversation/close", close, { at: Date.now() - 3_600_000 }),
      await sendRequest(bed.baseUrl, {
        method: "POST",
        path: `/inbox/v1/${signed.componentId}/conversation/close`,
        headers: JSON_TYPE,
        body: JSON.stringify(close),
      }),
      await callInbox({ ...signed, componentId: randomUUID() }, "/conversation/close", close),
    ];
    for (const { status, text } of attempts) assert.equal(status, 401, text);
    // Another inbox's own signature opens only its own chats.
    assert.equal((await callInbox(other, "/conversation/close", close)).status, 200);
    assert.equal((await operator.talks.get(path)).state, "waiting");
    assert.equal((await callInbox(signed, "/conversation/close", close)).status, 200);
    assert.equal((await operator.talks.get(path)).state, "closed");
  });

  it("inbox: nobody can register the service's own address as a desk", async () => {
    const inbox = await makeInbox(bed);
    const url = `${bed.baseUrl}/inbox/v1/${inbox.componentId}`;
    const agent = await makeInbox(bed).then(({ agent }) => agent);
    await operator.inbox.delete({ agent_id: agent.agentId });
    await agent.component({ url });
    const { results } = await operator.webhooks.diagnose({ agent_id: agent.agentId });
    const causes = results
      .filter(({ type }) => type === "human_service")
      .flatMap(({ probes }) => probes.map(({ cause }) => cause));
    assert.deepEqual([...new Set(causes)], ["forbidden_address"]);
  });

  it("inbox: a chat ends in the inbox when the user leaves, when nobody replies, and when the inbox is deleted", async () => {
    const first_reply = { seconds: 1, warn_seconds: 0 };
    const inbox = await makeInbox(bed, { inbox: { first_reply } });
    const ended = async (path: { agent_id: string; talk_id: string }) => {
      await eventually("it is closed", async () => (await operator.talks.get(path)).state === "closed", wait);
      return (await operator.talks.get(path)).reason;
    };
    const late = await inbox.open("user-1");
    assert.equal(await ended(late.path), "first_reply");
    await operator.inbox.set({ agent_id: inbox.agent_id });
    const left = await inbox.open("user-2");
    await inbox.agent.client.handoffs.leave({ conversation_id: left.conversationId });
    assert.equal(await ended(left.path), "user_closed");
    const open = await inbox.open("user-3");
    await operator.inbox.delete({ agent_id: inbox.agent_id });
    assert.equal(await ended(open.path), "desk_removed");
    assert.equal((await operator.inbox.get({ agent_id: inbox.agent_id })).is_enabled, false);
  });

  it("inbox: out of hours a user leaves a message that waits until somebody closes it", async () => {
    const inbox = await makeInbox(bed, { inbox: { business_hours: closedNow() } });
    const { agent, agent_id } = inbox;
    const conversation_id = await agent.converse({ email: "user@example.org" });
    assert.equal((await agent.client.handoffs.request({ conversation_id })).outcome, "away");
    const { list: handoffs } = await operator.handoffs.list({ agent_id });
    const [left] = handoffs;
    // It is delivered when the inbox opens, which may be days away.
    const establish = establishOf(inbox, left?.handoff_id ?? "");
    const answer = await callInbox(await withSecret(inbox), "/conversation/establish", establish);
    assert.equal(answer.status, 200, answer.text);
    const [talk] = (await operator.talks.search({ agent_id, view: "waiting" })).list;
    assert.ok(talk);
    assert.deepEqual([talk.kind, talk.user.email], ["left_message", "user@example.org"]);
    const path = { agent_id, talk_id: talk.talk_id };
    assert.match((await refusal(operator.talks.reply({ ...path, text: "Hi" }))).message, /reply by email/);
    assert.equal((await operator.talks.close(path)).state, "closed");
  });

  it("inbox: what users and humans say arrives once and in order while workers are killed", async () => {
    const inbox = await makeInbox(bed);
    const ann = await inbox.join("Ann");
    const { path, conversationId } = await inbox.open();
    await ann.client.talks.take(path);
    const said: string[] = [];
    for (const round of [1, 2, 3, 4]) {
      const [killed, other] = round % 2 === 0 ? [0, 1] : [1, 0];
      const dying = bed.worker(killed).kill9();
      await inbox.agent.ask(conversationId, `question ${round}`);
      await ann.client.talks.reply({ ...path, text: `answer ${round}` });
      said.push(`question ${round}`, `answer ${round}`);
      await dying;
      assert.ok(await bed.worker(other).isReady());
      await bed.worker(killed).start();
    }
    const { messages } = await ann.client.talks.get(path);
    const spoken = messages.filter(({ text }) => /^(question|answer) /.test(text));
    assert.deepEqual(
      spoken.map(({ text }) => text),
      said,
    );
    await eventually("the last reply arrives", () => inbox.told().includes("human: answer 4"), wait);
    const answers = inbox.told().filter((line) => line.startsWith("human"));
    // A killed worker may have sent what it could not note: the developer tells repeats by their id.
    assert.deepEqual(
      [...new Set(answers)],
      ["human: answer 1", "human: answer 2", "human: answer 3", "human: answer 4"],
    );
    await eventually(
      "the inbox has every call",
      async () => {
        const { list } = await operator.deliveries.list({
          agent_id: inbox.agent_id,
          webhook_id: inbox.componentId,
        });
        return list.length === 5 && list.every(({ state }) => state === "delivered");
      },
      wait,
    );
    await ann.client.talks.close(path);
    const { control } = await inbox.agent.client.handoffs.get({ conversation_id: conversationId });
    assert.equal(control, "bot");
  });
});

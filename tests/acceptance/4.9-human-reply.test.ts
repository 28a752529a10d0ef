import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentResponseMessage, zeroUsage } from "@signalbox/contract";
import { createClient } from "@signalbox/sdk";
import { operatorOf, refusal } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { makeDesk } from "../support/desk.ts";
import { withClient } from "../support/postgres.ts";
import { eventually } from "../support/processes.ts";
import { bearer, JSON_TYPE, sendRequest } from "../support/wire.ts";

describe("4.9 human reply", { concurrency: 4 }, () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed();
  });
  after(() => bed[Symbol.asyncDispose]());

  it("4.9 returns code 0 and OK, and the reply is delivered as the component's with zero usage", async () => {
    const desk = await makeDesk(bed, { component: { name: "Front desk" } });
    const conversationId = await desk.agent.converse({ user_id: "user-7" });
    const handoffId = await desk.connect(conversationId);
    assert.deepEqual(await desk.reply(handoffId, "Hello, I am Ann."), { code: 0, message: "OK" });
    await desk.toldAll(2);
    const request = desk.agent.arrived()[1];
    const { create_time, message_id, ...rest } = AgentResponseMessage.parse(request?.body);
    assert.deepEqual(rest, {
      user_id: "user-7",
      anonymous_id: null,
      conversation_id: conversationId,
      output: [
        {
          from_component_branch: "human",
          from_component_name: "Front desk",
          content: { text: "Hello, I am Ann.", audio: [] },
        },
      ],
      usage: zeroUsage(),
    });
    assert.ok(Math.abs(Date.now() - create_time) < 60_000, "milliseconds of this moment");
    assert.notEqual(message_id, AgentResponseMessage.parse(desk.agent.arrived()[0]?.body).message_id);
    assert.equal(request?.headers["signalbox-sender"], "human");
  });

  it("4.9 requires conversation_id, timestamp and a body that is not blank, and delivers nothing without them", async () => {
    const desk = await makeDesk(bed);
    const conversation_id = await desk.connect(await desk.converse());
    const whole = { conversation_id, timestamp: Date.now(), body: "Hello" };
    const post = async (change: object) => {
      const answer = await sendRequest(bed.baseUrl, {
        method: "POST",
        path: "/v1/human/message/receive",
        headers: { ...bearer(desk.agent.apiKey), ...JSON_TYPE },
        body: JSON.stringify({ ...whole, ...change }),
      });
      const { code, message } = answer.body as { code: number; message: string };
      return [answer.status, code, message];
    };
    for (const field of ["conversation_id", "timestamp", "body"])
      assert.deepEqual(await post({ [field]: undefined }), [
        400,
        40000,
        `Parameter error: ${field} is required`,
      ]);
    for (const blank of ["", " ", "\n\t\u3000"]) {
      const [status, code, message] = await post({ body: blank });
      assert.deepEqual([status, code], [400, 40000], JSON.stringify(blank));
      assert.match(String(message), /body must not be (empty|blank)/);
    }
    assert.deepEqual(await post({}), [200, 0, "OK"]);
    assert.equal((await desk.toldAll(2))[1], "human: Hello");
  });

  it("4.9 and 4.10 refuse an id in another form like an unknown one", async () => {
    const desk = await makeDesk(bed);
    const unknown = await refusal(desk.reply(crypto.randomUUID(), "anybody?"));
    assert.equal(unknown.code, 40356);
    for (const id of ["65f0c9a1b2c3d4e5f6a7b8c9", "42", "no id of ours"]) {
      assert.deepEqual(await refusal(desk.reply(id, "anybody?")), unknown, id);
      assert.deepEqual(await refusal(desk.close(id)), unknown, id);
    }
  });

  it("4.9 makes the handoff active, also before the desk acknowledged the request", async () => {
    const desk = await makeDesk(bed);
    const conversationId = await desk.converse();
    const gate = Promise.withResolvers<{ status: number }>();
    desk.answer("establish", () => gate.promise);
    const handoffId = await desk.request(conversationId);
    await desk.arrived("establish");
    await desk.agent.ask(conversationId, "one");
    await desk.reply(handoffId, "I am here");
    assert.deepEqual(await desk.toldAll(1), ["human: I am here"]);
    const state = async () =>
      (await desk.agent.client.handoffs.get({ conversation_id: conversationId })).handoff?.state;
    assert.equal(await state(), "active");
    // Even a failure says nothing any more: somebody is there.
    desk.answer("establish", () => ({ status: 503 }));
    gate.resolve({ status: 503 });
    await desk.arrived("chat");
    assert.equal(await state(), "active");
    assert.deepEqual(desk.story().at(-1), "chat one");
    assert.deepEqual(desk.told(), ["human: I am here"]);
  });

  it("4.9 delivers one message when the same reply is sent twice at once, by time or by key", async () => {
    const desk = await makeDesk(bed);
    const conversationId = await desk.converse();
    const handoffId = await desk.connect(conversationId);
    const nodes = bed.apis.map(({ baseUrl }) => createClient({ baseUrl, apiKey: desk.agent.apiKey }));
    const same = { conversation_id: handoffId, timestamp: Date.now(), body: "once" };
    const answers = await Promise.all(
      nodes.flatMap((node) => Array.from({ length: 5 }, () => node.handoffs.reply(same))),
    );
    assert.deepEqual(new Set(answers.map(({ code }) => code)), new Set([0]));
    for (const timestamp of [1, 2])
      await desk.agent.client.handoffs
        .reply({ ...same, timestamp: Date.now(), body: "keyed" }, { idempotencyKey: "one key" })
        .catch(() => timestamp);
    await desk.reply(handoffId, "last");
    await desk.toldAll(3);
    assert.equal(desk.told().filter((text) => text === "human: once").length, 1);
    assert.equal(desk.told().at(-1), "human: last");
    // A repeat of what was said is no news after the end either.
    await desk.close(handoffId);
    assert.deepEqual(await nodes[0]?.handoffs.reply(same), { code: 0, message: "OK" });
  });

  it("4.9 delivers every reply of a desk that counts in whole seconds", async () => {
    const desk = await makeDesk(bed);
    const handoffId = await desk.connect(await desk.converse());
    const seconds = Math.floor(Date.now() / 1000);
    for (const timestamp of [seconds, seconds, seconds * 1000])
      await desk.agent.client.handoffs.reply({ conversation_id: handoffId, timestamp, body: "Yes." });
    const repeated = { conversation_id: handoffId, timestamp: seconds, body: "One moment." };
    for (const idempotencyKey of ["once", "once", "twice"])
      await desk.agent.client.handoffs.reply(repeated, { idempotencyKey });
    await desk.reply(handoffId, "last");
    assert.deepEqual((await desk.toldAll(7)).slice(1), [
      ...Array.from({ length: 3 }, () => "human: Yes."),
      ...Array.from({ length: 2 }, () => "human: One moment."),
      "human: last",
    ]);
  });

  it("4.9 and 4.10 accept the conversation's id, as 4.5 has it, for its open handoff, and return the id that was sent", async () => {
    const desk = await makeDesk(bed);
    const conversationId = await desk.converse();
    const never = await refusal(desk.reply(conversationId, "too early"));
    assert.deepEqual([never.status, never.code], [403, 40356]);
    const first = await desk.connect(conversationId);
    assert.deepEqual(await desk.reply(conversationId, "one"), { code: 0, message: "OK" });
    const closed = await desk.close(conversationId);
    assert.equal(closed.conversation_id, conversationId);
    const { handoff } = await desk.agent.client.handoffs.get({ conversation_id: conversationId });
    assert.deepEqual([handoff?.handoff_id, handoff?.reason], [first, "human_closed"]);
    assert.deepEqual(await desk.close(conversationId), closed, "closed already");
    assert.equal((await refusal(desk.reply(conversationId, "too late"))).code, 40900);

    const second = await desk.connect(conversationId);
    assert.equal((await refusal(desk.reply(first, "to the first"))).code, 40900);
    await desk.reply(conversationId.toUpperCase(), "two");
    await desk.reply(second, "three");
    assert.equal((await desk.close(first)).timestamp, closed.timestamp, "the first ended long ago");
    assert.deepEqual(
      (await desk.toldAll(6)).filter((text) => text.startsWith("human")),
      ["human: one", "human: two", "human: three"],
    );
  });

  it("4.9 by the conversation's id delivers each accepted reply once while 4.10 closes, and no refused one", async () => {
    const desk = await makeDesk(bed);
    const conversationId = await desk.converse();
    const handoffId = await desk.connect(conversationId);
    const nodes = bed.apis.map(({ baseUrl }) =>
      createClient({ baseUrl, apiKey: desk.agent.apiKey, retries: 0 }),
    );
    const ids = [conversationId, handoffId];
    const timestamp = Date.now() - (Date.now() % 1000) + 1;
    const once = nodes.flatMap((node) =>
      ids.map((conversation_id) => node.handoffs.reply({ conversation_id, timestamp, body: "once" })),
    );
    await Promise.all(once);
    const accepted: string[] = [];
    const replies = Array.from({ length: 24 }, async (_, at) => {
      const outcome = desk.reply(ids[at % 2] ?? "", `reply ${at}`, nodes[at % nodes.length]);
      await outcome.then(
        () => accepted.push(`human: reply ${at}`),
        async () => assert.equal((await refusal(outcome)).code, 40900),
      );
    });
    const closes = ids.map((id) => sleep(30).then(() => desk.close(id)));
    await Promise.all([...replies, ...closes]);
    await desk.agent.arrivals(accepted.length + 2);
    await sleep(300);
    const told = desk.told().filter((text) => text.startsWith("human"));
    assert.deepEqual(told.toSorted(), ["human: once", ...accepted].toSorted());
  });

  it("4.9 is refused with 40900 after every kind of end, and delivers nothing", async () => {
    const desk = await makeDesk(bed);
    const conversationId = await desk.converse();
    const endings = [
      (id: string) => desk.close(id),
      () => desk.agent.client.handoffs.leave({ conversation_id: conversationId }),
    ];
    for (const end of endings) {
      const handoffId = await desk.connect(conversationId);
      await end(handoffId);
      const { code, status } = await refusal(desk.reply(handoffId, "too late"));
      assert.deepEqual([code, status], [40900, 409]);
    }
    desk.answer("establish", () => ({ status: 503 }));
    const busy = await desk.request(conversationId);
    await desk.isIn(conversationId, "busy");
    assert.equal((await refusal(desk.reply(busy, "too late"))).code, 40900);
    await desk.toldAll(5);
    assert.deepEqual(
      desk.told().filter((text) => text.startsWith("human")),
      [],
    );
  });

  it("4.9 is refused once the message webhook is deleted: the handoff ends and the desk is told", async () => {
    const removals = [
      (agent_id: string) => operatorOf(bed).webhooks.delete({ agent_id }),
      // As the reply that comes between the deletion and what follows from it.
      (agent_id: string) =>
        bed.database.query("update webhook set deleted_at = now() where agent_id = $1 and kind = 'message'", [
          agent_id,
        ]),
    ];
    for (const remove of removals) {
      const desk = await makeDesk(bed);
      const conversationId = await desk.converse();
      const handoffId = await desk.connect(conversationId);
      await desk.reply(handoffId, "Hello");
      await desk.toldAll(2);
      await remove(desk.agent.agentId);
      const { code, message } = await refusal(desk.reply(handoffId, "Still there?"));
      assert.equal(code, 40900);
      assert.match(message, /message webhook was deleted/);
      const { control, handoff } = await desk.agent.client.handoffs.get({ conversation_id: conversationId });
      assert.deepEqual([control, handoff?.reason], ["bot", "webhook_removed"]);
      await desk.arrived("close");
      assert.deepEqual(desk.story(), ["establish", "close TIMEOUT"]);
    }
  });

  it("4.9 accepts only a key of the handoff's own agent, and another's id looks unknown", async () => {
    const [desk, stranger] = [await makeDesk(bed), await makeDesk(bed)];
    const handoffId = await desk.connect(await desk.converse());
    const foreign = await refusal(desk.reply(handoffId, "I am not of this house", stranger.agent.client));
    const unknown = await refusal(stranger.reply(crypto.randomUUID(), "anybody?"));
    assert.deepEqual([foreign.status, foreign.code, foreign.message], [403, 40356, unknown.message]);
    const keyless = createClient({ baseUrl: bed.baseUrl, apiKey: "" });
    for (const id of [handoffId, crypto.randomUUID()])
      assert.equal((await refusal(desk.reply(id, "without a key", keyless))).code, 40127);
    assert.deepEqual(
      desk.told().filter((text) => text.startsWith("human")),
      [],
    );
  });

  it("4.9 and 4.10 refuse a call whose conversation is erased while it waits like one of an unknown id", async () => {
    const desk = await makeDesk(bed);
    const unknown = await refusal(desk.reply(crypto.randomUUID(), "anybody?"));
    for (const call of [(id: string) => desk.reply(id, "too late"), (id: string) => desk.close(id)]) {
      const conversationId = await desk.converse();
      const handoffId = await desk.connect(conversationId);
      const answer = await withClient(bed.database.superuserUrl, async (eraser) => {
        await eraser.query("begin");
        await eraser.query("select from conversation where id = $1 for update", [conversationId]);
        const late = refusal(call(handoffId));
        await eventually("the call waits for the conversation", async () => {
          const waiting = await bed.database.query(
            "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%from conversation%'",
          );
          return waiting.length > 0;
        });
        await eraser.query("delete from conversation where id = $1", [conversationId]);
        await eraser.query("commit");
        return late;
      });
      assert.deepEqual(answer, unknown);
    }
  });

  it("4.9 needs no key where the component allows it, for its own handoffs only", async () => {
    const desk = await makeDesk(bed, { component: { allow_unauthenticated_replies: true } });
    const strict = await makeDesk(bed);
    const [open, closed] = [
      await desk.connect(await desk.converse()),
      await strict.connect(await strict.converse()),
    ];
    const post = (conversation_id: string) =>
      fetch(`${bed.baseUrl}/v1/human/message/receive`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ conversation_id, timestamp: Date.now(), body: "no key" }),
      });
    assert.equal((await post(open)).status, 200);
    const incomplete = await fetch(`${bed.baseUrl}/v1/human/message/receive`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ conversation_id: open, body: "no time" }),
    });
    assert.deepEqual(await incomplete.json(), {
      code: 40000,
      message: "Parameter error: timestamp is required",
    });
    assert.equal((await post(closed)).status, 401);
    assert.equal((await desk.toldAll(2))[1], "human: no key");
    const wrongKey = createClient({ baseUrl: bed.baseUrl, apiKey: `sbx_${"x".repeat(40)}` });
    assert.equal((await refusal(desk.reply(open, "wrong key", wrongKey))).code, 40127);
  });
});

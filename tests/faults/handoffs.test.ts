import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, SignalboxError } from "@signalbox/sdk";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { makeDesk } from "../support/desk.ts";
import type { Desk } from "../support/desk.ts";
import { HANDOFF_WATCH } from "../support/handoff-watch.ts";
import { LOAD_ENVIRONMENT } from "../support/load.ts";
import { eventually } from "../support/processes.ts";

const HEAL_MS = 90_000;
/** The long form: SIGNALBOX_TEST_HANDOFF_KILLS=300. */
const KILLS = Number(process.env["SIGNALBOX_TEST_HANDOFF_KILLS"] ?? 4);

describe("engine that lost its disk during handoffs", () => {
  let bed: Bed;
  let desk: Desk;
  // Longer than thirty handoffs take to be connected on a starved machine.
  const FIRST_REPLY_SECONDS = 30;
  before(async () => {
    bed = await openBed({ environment: LOAD_ENVIRONMENT });
    desk = await makeDesk(bed, {
      settings: {
        timers: {
          first_reply: { seconds: FIRST_REPLY_SECONDS, warn_seconds: 0 },
          human_idle: { seconds: 600, warn_seconds: 0 },
          user_idle: { seconds: 600, warn_seconds: 0 },
        },
      },
    });
  });
  after(() => bed[Symbol.asyncDispose]());

  it("humans can reply and close after the engine was wiped, and every timer fires once", async () => {
    const conversations = await Promise.all(Array.from({ length: 30 }, () => desk.converse()));
    // Thirty at once may be more than a small machine takes; a caller who is told so comes back.
    const client = createClient({ baseUrl: bed.baseUrl, apiKey: desk.agent.apiKey, retries: 5 });
    const handoffs = await Promise.all(
      conversations.map(async (conversation_id) => {
        const { handoff } = await client.handoffs.request({ conversation_id });
        return handoff?.handoff_id ?? "";
      }),
    );
    await eventually("all are connected", async () => {
      const [row] = await bed.database.query<{ connected: number }>(
        "select count(*)::int as connected from handoff where agent_id = $1 and state = 'connecting'",
        [desk.agent.agentId],
      );
      return row?.connected === handoffs.length;
    });
    await bed.engine.wipe();
    await bed.engine.start();
    const [talking, closing, silent] = [handoffs.slice(0, 10), handoffs.slice(10, 20), handoffs.slice(20)];
    await Promise.all(talking.map((id, index) => desk.reply(id, `hello ${index}`, client)));
    const timestamp = Date.now();
    await Promise.all(
      closing.map((conversation_id) => client.handoffs.close({ conversation_id, timestamp })),
    );
    const messages = [{ role: "user" as const, content: "thank you" }];
    const thanked = conversations.slice(0, 10);
    await Promise.all(
      thanked.map((conversation_id) =>
        client.conversations.sendMessage({ conversation_id, response_mode: "webhook", messages }),
      ),
    );
    await desk.arrived("chat", 10);
    await eventually(
      "those without a reply are told to close",
      () => desk.calls().filter(({ call }) => call === "close").length >= silent.length,
      { timeoutMs: FIRST_REPLY_SECONDS * 1000 + 20_000 },
    );
    await eventually("the humans' words arrive", () => {
      const said = desk.told().filter((text) => text.startsWith("human: hello"));
      return said.length === talking.length;
    });
    const closed = desk.calls().filter(({ call }) => call === "close");
    assert.deepEqual(new Set(closed.map(({ handoffId }) => handoffId)), new Set(silent));
    assert.deepEqual(new Set(closed.map(({ said }) => said)), new Set(["TIMEOUT"]));
    const states = await bed.database.query<{ state: string; reason: string | null; count: number }>(
      "select state, reason, count(*)::int as count from handoff where agent_id = $1 group by 1, 2 order by 1, 2",
      [desk.agent.agentId],
    );
    assert.deepEqual(states, [
      { state: "active", reason: null, count: 10 },
      { state: "closed", reason: "first_reply", count: 10 },
      { state: "closed", reason: "human_closed", count: 10 },
    ]);
  });
});

describe("kill -9 during handoffs", () => {
  const closing = new AsyncDisposableStack();
  const CONVERSATIONS = 12;
  const ROUNDS_MIN = 3;
  const VICTIMS = ["worker", "engine", "postgres", "api"] as const;
  let bed: Bed;
  let desk: Desk;
  const accepted = new Map<string, string[]>();
  const replies: string[] = [];
  let killing = true;

  before(async () => {
    bed = closing.use(await openBed({ ownCluster: true, environment: LOAD_ENVIRONMENT }));
    await bed.database.query(HANDOFF_WATCH);
    desk = await makeDesk(bed);
  });
  after(() => closing.disposeAsync());

  /** Again and again with the same key until it is answered: a caller that saw no answer may have been heard. */
  async function insist<Reply>(call: (key: string) => Promise<Reply>): Promise<Reply | undefined> {
    const key = crypto.randomUUID();
    for (;;) {
      try {
        return await call(key);
      } catch (error) {
        const status = error instanceof SignalboxError ? error.status : 503;
        if (status === 409 || status === 403) return undefined;
        if (status !== 503) throw error;
        await sleep(100);
      }
    }
  }

  async function user(conversationId: string, index: number): Promise<void> {
    const nodes = bed.apis.map(({ baseUrl }) => baseUrl);
    const baseUrls = index % 2 === 0 ? nodes : nodes.toReversed();
    const client = createClient({ baseUrls, apiKey: desk.agent.apiKey, retries: 1, timeoutMs: 10_000 });
    const conversation_id = conversationId;
    const said: string[] = [];
    accepted.set(conversationId, said);
    const say = async (text: string) => {
      const messages = [{ role: "user" as const, content: text }];
      await insist((idempotencyKey) =>
        client.conversations.sendMessage(
          { conversation_id, response_mode: "webhook", messages },
          { idempotencyKey },
        ),
      );
      said.push(text);
    };
    for (let round = 0; round < ROUNDS_MIN || killing; round += 1) {
      await say(`${index}.${round}.before`);
      const begun = await insist((idempotencyKey) =>
        client.handoffs.request({ conversation_id }, { idempotencyKey }),
      );
      const handoffId = begun?.handoff?.handoff_id ?? "";
      await say(`${index}.${round}.held`);
      const reply = { conversation_id: handoffId, timestamp: Date.now(), body: `${index}.${round}.reply` };
      const done = await insist((idempotencyKey) => client.handoffs.reply(reply, { idempotencyKey }));
      if (done !== undefined) replies.push(reply.body);
      await say(`${index}.${round}.during`);
      if (round % 2 === 0)
        await insist((idempotencyKey) => client.handoffs.leave({ conversation_id }, { idempotencyKey }));
      else
        await insist((idempotencyKey) =>
          client.handoffs.close({ conversation_id: handoffId, timestamp: Date.now() }, { idempotencyKey }),
        );
    }
  }

  /** One part after the other, and of two workers or nodes now this, now that; kill9 fails unless it died of it. */
  async function kill(count: number): Promise<void> {
    const at = Math.floor(count / VICTIMS.length) % 2;
    const part = {
      worker: () => bed.worker(at),
      api: () => bed.api(at),
      engine: () => bed.engine,
      postgres: () => bed.ownCluster(),
    }[VICTIMS[count % VICTIMS.length] ?? "worker"]();
    await part.kill9();
    await part.start();
  }

  /** A lane whose next message has waited for so long since the one before was settled. */
  async function isBehind(): Promise<boolean> {
    const behind = await bed.database
      .query(
        "select 1 from lane where done_seq < tail_seq and pending_since < now() - interval '60 seconds' limit 1",
      )
      .catch(() => undefined);
    return behind?.length !== 0;
  }

  it("every process survives kill -9 while handoffs are open", async () => {
    const conversations = await Promise.all(Array.from({ length: CONVERSATIONS }, () => desk.converse()));
    const talks = Promise.all(conversations.map(user));
    for (let count = 0; count < KILLS; count += 1) {
      const before = replies.length;
      await eventually("talks are under way", () => replies.length >= before + CONVERSATIONS / 2, {
        timeoutMs: HEAL_MS,
        everyMs: 5,
      });
      // Users do not wait for what they are told. Crashes that come quicker than Restate is back would only let it pile up.
      await eventually("what was said is on its way", async () => !(await isBehind()), {
        timeoutMs: HEAL_MS,
        everyMs: 100,
      });
      await kill(count);
    }
    killing = false;
    await talks;
    await eventually(
      "everything comes to rest",
      async () => {
        const [row] = await bed.database.query<{ busy: boolean }>(
          `select exists (select from lane where state <> 'idle' or done_seq < tail_seq)
             or exists (select from conversation where control = 'bot' and (turn_awake or turn_done_seq < turn_due_seq))
             or exists (select from handoff where state = 'requested') as busy`,
        );
        return row?.busy === false;
      },
      { timeoutMs: HEAL_MS, everyMs: 200 },
    );
  });

  it("kill -9 during handoffs never lets the agent and a human speak at once or changes what has ended", async () => {
    assert.deepEqual(await bed.database.query("select * from watch.violation"), []);
  });

  it("kill -9 during handoffs keeps the order of establish, chats and close, with one close", () => {
    const seen = new Set<string>();
    const first = desk.calls().filter(({ request }) => {
      const id = request.headers["webhook-id"] ?? "";
      const isNew = !seen.has(id);
      seen.add(id);
      return isNew;
    });
    for (const calls of Map.groupBy(first, ({ handoffId }) => handoffId).values()) {
      const word = calls.map(({ call }) => (call[0] === "c" && call !== "chat" ? "x" : call[0])).join("");
      assert.match(word, /^e(c*x?)?$/, JSON.stringify(calls.map(({ call, said }) => [call, said])));
    }
    assert.ok(first.length > CONVERSATIONS * ROUNDS_MIN, `void: only ${first.length} calls`);
  });

  it("kill -9 during handoffs loses no accepted message and delivers everything to the user in order", async () => {
    for (const [conversationId, said] of accepted) {
      const rows = await bed.database.query<{ id: string; sender: string; text: string }>(
        "select id, sender, text from message where conversation_id = $1 order by seq",
        [conversationId],
      );
      assert.deepEqual(
        rows.filter(({ sender }) => sender === "user").map(({ text }) => text),
        said,
      );
      const told = desk.agent
        .arrived()
        .map(({ body }) => body as { conversation_id: string; message_id: string })
        .filter((body) => body.conversation_id === conversationId)
        .map(({ message_id }) => message_id);
      assert.deepEqual(
        [...new Set(told)],
        rows.filter(({ sender }) => sender !== "user").map(({ id }) => id),
      );
    }
    const [row] = await bed.database.query<{ said: number; distinct: number }>(
      "select count(*)::int as said, count(distinct text)::int as distinct from message where sender = 'human'",
    );
    assert.deepEqual([row?.said, row?.distinct], [replies.length, replies.length]);
    console.log(JSON.stringify({ kills: KILLS, users: accepted.size, replies: replies.length }));
  });
});

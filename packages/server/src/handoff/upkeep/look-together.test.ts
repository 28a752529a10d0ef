import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { openRows, type Row, type Rows } from "@signalbox/tests/support/rows.ts";
import { rowsReadBy } from "@signalbox/tests/support/rows-read.ts";
import { sql } from "kysely";
import type { Claim } from "../../delivery/index.ts";
import type { Engine, Work } from "../../engine/index.ts";
import { createLog, LOCKED, openWorkDatabase, type Database } from "../../platform/index.ts";
import { handoffObject } from "./handoff-object.ts";
import { lookAtMany, lookTogether, type LookCall } from "./look-together.ts";

const AGENTS = 15;
/** Rows of each table: looked up once or twice by each statement, and written. */
const ROWS_EACH_MAX = 8;
const TABLES = ["conversation", "message", "handoff", "lane", "delivery", "webhook", "destination", "agent"];

interface Added extends LookCall {
  conversationId: string;
}

describe("looks at timers of many handoffs in one transaction", () => {
  let rows: Rows;
  let db: Database;
  const log = createLog("silent", {});
  const open = new AsyncDisposableStack();
  before(async () => {
    rows = open.use(await openRows());
    const opened = openWorkDatabase({ url: rows.url, poolSize: 6, onError: () => undefined });
    open.defer(() => opened.close());
    db = opened.db;
  });
  after(() => open.disposeAsync());

  async function addAgent(): Promise<{ agentId: string; deskId: string }> {
    const { agentId } = await rows.addAgent();
    const deskId = randomUUID();
    await rows.insert("webhook", {
      id: deskId,
      agent_id: agentId,
      kind: "human_service",
      name: "Desk",
      url: "http://127.0.0.1:9/desk",
      signing_secret_sealed: Buffer.from("sealed"),
    });
    return { agentId, deskId };
  }
  /** An active handoff whose user has been silent until a second ago, or whose time is still to come. */
  async function add(
    { agentId, deskId }: { agentId: string; deskId: string },
    { dueInMs = -1_000, warnings = 2 } = {},
  ): Promise<Added> {
    const handoffId = randomUUID();
    const control = { control: "human", handoff_id: handoffId, epoch: 4, last_seq: 3, user_id: "user" };
    const conversationId = await rows.addConversation(agentId, control);
    const dueAt = new Date(Date.now() + dueInMs);
    await rows.insert("handoff", {
      agent_id: agentId,
      id: handoffId,
      conversation_id: conversationId,
      component_id: deskId,
      trigger: "api",
      state: "active",
      forwarded_seq: 2,
      acknowledged_seq: 1,
      replied_seq: 3,
      timer_kind: "user_idle",
      timer_set_at: new Date(Date.now() - 60_000),
      timer_due_at: dueAt,
      timer_warnings: warnings,
      timer_wake_at: dueAt,
    });
    return { agentId, handoffId, conversationId, callId: randomUUID(), calledAt: performance.now() };
  }
  const say = ({ agentId, conversationId }: Added, seq: number) =>
    rows.insert("message", {
      agent_id: agentId,
      conversation_id: conversationId,
      seq,
      id: randomUUID(),
      sender: "user",
      text: "hello",
    });
  async function stateOf({ conversationId }: Added): Promise<Row> {
    const [row] = await rows.query(
      `select h.state, h.reason, h.ended_at is not null as is_ended, h.timer_kind, c.control, c.epoch::int, c.last_seq::int, c.turn_awake,
         (select array_agg(m.sender || ' ' || m.seq order by m.seq) from message m where m.conversation_id = c.id) as messages,
         (select array_agg(d.event || ' ' || d.sender order by d.event) from lane l join delivery d on d.lane_id = l.id where l.conversation_id = c.id)
           as deliveries,
         (select array_agg(l.fence::int) from lane l where l.conversation_id = c.id) as fences
       from conversation c join handoff h on h.conversation_id = c.id where c.id = $1`,
      [conversationId],
    );
    return row ?? assert.fail();
  }
  const ENDED = {
    state: "closed",
    reason: "user_idle",
    is_ended: true,
    timer_kind: null,
    control: "bot",
    epoch: 5,
    last_seq: 4,
    turn_awake: false,
    messages: ["system 4"],
    deliveries: ["handoff_closed system", "message system"],
    fences: [1, 1],
  };
  const lookAt = (calls: LookCall[]) => lookAtMany(db, calls, "skip");

  it("timers of several agents that are due end their handoffs, each with notice, close and control", async () => {
    const all = [await add(await addAgent()), await add(await addAgent())];
    const results = await lookAt(all);
    for (const [index, one] of all.entries()) {
      assert.deepEqual(await stateOf(one), ENDED);
      const result = results[index];
      assert.ok(result !== LOCKED && result?.kind === "moved");
      const events = result.lanes.map(({ claim }) => claim?.deliveries.map(({ event }) => event));
      assert.deepEqual(events, [["handoff_closed"], ["message"]]);
    }
  });

  it("a message that the desk did not acknowledge is answered after a timer has fired, and one it did is not", async () => {
    const [agent, other] = [await addAgent(), await addAgent()];
    const [waits, heard] = [await add(agent), await add(other)];
    await say(waits, 2);
    await say(heard, 1);
    const results = await lookAt([waits, heard]);
    assert.deepEqual(
      [(await stateOf(waits))["turn_awake"], (await stateOf(heard))["turn_awake"]],
      [true, false],
    );
    const called = results.map((result) => (result === LOCKED ? [] : "calls" in result ? result.calls : []));
    const turns = called.map((calls) => calls.flatMap((call) => ("object" in call ? call.object : [])));
    assert.deepEqual(turns, [["turn"], []]);
  });

  it("a warning that is due is said among handoffs that end, and leaves its timer running", async () => {
    const agent = await addAgent();
    const [warned, ends] = [await add(agent, { dueInMs: 20_000, warnings: 0 }), await add(agent)];
    await lookAt([warned, ends]);
    const { state, control, epoch, messages, deliveries } = await stateOf(warned);
    assert.deepEqual(
      { state, control, epoch, messages, deliveries },
      { state: "active", control: "human", epoch: 4, messages: ["system 4"], deliveries: ["message system"] },
    );
    assert.deepEqual(await stateOf(ends), ENDED);
  });

  it("a look that comes early changes nothing and asks for an alarm", async () => {
    const early = await add(await addAgent(), { dueInMs: 3_600_000 });
    const before = await stateOf(early);
    const [result] = await lookAt([early]);
    assert.deepEqual(await stateOf(early), before);
    assert.ok(result !== LOCKED && result?.kind === "unmoved");
    assert.deepEqual(
      result.calls.map((call) => "alarm" in call),
      [true],
    );
  });

  it("two calls for one handoff end it once", async () => {
    const one = await add(await addAgent());
    const look = lookTogether(db, log);
    const results = await Promise.all([look(one), look({ ...one, callId: randomUUID() })]);
    assert.deepEqual(results.map(({ kind }) => kind).toSorted(), ["moved", "unmoved"]);
    assert.deepEqual(await stateOf(one), ENDED);
  });

  it("a handoff whose agent has unreadable settings fails alone, and the others end", async () => {
    const [poisoned, well] = [await add(await addAgent()), await add(await addAgent())];
    await rows.query("update agent set handoff_settings = '{\"timers\": 1}' where id = $1", [
      poisoned.agentId,
    ]);
    const results = await lookAt([poisoned, well]);
    const kinds = results.map((result) => (result === LOCKED ? "locked" : result.kind));
    assert.deepEqual(kinds, ["unreadable", "moved"]);
    assert.deepEqual(
      [(await stateOf(poisoned))["state"], (await stateOf(well))["state"]],
      ["active", "closed"],
    );
  });

  it("a handoff that the database refuses to write fails alone, and the others end", async () => {
    const agent = await addAgent();
    const [poisoned, ...well] = [await add(agent), await add(agent), await add(agent), await add(agent)];
    // The notice's number is taken.
    await say(poisoned ?? assert.fail(), 4);
    const look = lookTogether(db, log);
    const results = await Promise.allSettled([poisoned ?? assert.fail(), ...well].map((one) => look(one)));
    assert.deepEqual(
      results.map(({ status }) => status),
      ["rejected", "fulfilled", "fulfilled", "fulfilled"],
    );
    for (const one of well) assert.deepEqual(await stateOf(one), ENDED);
  });

  it("a batch does not wait for a conversation that somebody has locked", async () => {
    const [busy, free] = [await add(await addAgent()), await add(await addAgent())];
    const look = lookTogether(db, log);
    const waiting = await rows.whileLocked("conversation", busy.conversationId, async () => {
      const looking = look(busy);
      assert.equal((await look(free)).kind, "moved");
      assert.equal((await stateOf(busy))["state"], "active");
      return { looking };
    });
    assert.equal((await waiting.looking).kind, "moved");
    assert.deepEqual(await stateOf(busy), ENDED);
  });

  it("a look that waited for its conversation sees a handoff that was closed meanwhile, and says nothing", async () => {
    const one = await add(await addAgent());
    const other = await rows.session();
    await other.query("begin");
    await other.query("select from conversation where id = $1 for update", [one.conversationId]);
    const looking = lookTogether(db, log)(one);
    await rows.blocked("for update");
    await other.query(
      `update handoff set state = 'closed', reason = 'human_closed', timer_kind = null, timer_set_at = null, timer_due_at = null,
         timer_wake_at = null where id = $1`,
      [one.handoffId],
    );
    await other.query("commit");
    other.release();
    assert.equal((await looking).kind, "unmoved");
    const { reason, epoch, messages } = await stateOf(one);
    assert.deepEqual({ reason, epoch, messages }, { reason: "human_closed", epoch: 4, messages: null });
  });

  it("a call that is made again after its worker died drains the lanes that it had claimed", async () => {
    const one = await add(await addAgent());
    const drained: { work: Work; claim: Claim | undefined }[] = [];
    const drain = async (work: Work, claim?: Claim) => {
      drained.push({ work, claim });
      if (drained.length <= 2) throw new Error("the worker dies");
    };
    const engine = {} as Engine;
    const object = handoffObject({ db, engine, broadcast: { tell: () => undefined }, drain, log });
    const work = { agentId: one.agentId, id: one.handoffId, ended: new AbortController().signal };
    const look = (callId: string) => object.handlers["look"]?.({ ...work, callId });
    await assert.rejects(async () => look(one.callId));
    await look(randomUUID());
    assert.equal(drained.length, 2, "another call leaves them to the one that holds them");
    await look(one.callId);
    const lanes = drained.map(({ work: { id } }) => id);
    assert.deepEqual(new Set(lanes.slice(2)), new Set(lanes.slice(0, 2)));
    assert.deepEqual(
      drained.map(({ claim }) => claim !== undefined),
      [true, true, false, false],
    );
  });

  it("a batch reads few rows for each handoff, however many others are open, before and after analyze", async () => {
    const others = await addAgent();
    for (let more = 0; more < 100; more += 1) await add(others, { dueInMs: 3_600_000 });
    for (const analyzed of [false, true]) {
      if (analyzed) await rows.query("analyze");
      const calls = await Promise.all(Array.from({ length: AGENTS }, async () => add(await addAgent())));
      const mine = await Promise.all(Array.from({ length: AGENTS }, () => add(others)));
      await db.connection().execute(async (connection) => {
        const read = await rowsReadBy(
          rows,
          TABLES,
          (statement) => sql.raw(statement).execute(connection),
          () => lookAtMany(connection, [...calls, ...mine], "skip"),
        );
        const many = [...read].filter(([, count]) => count > 2 * AGENTS * ROWS_EACH_MAX);
        assert.deepEqual(
          many,
          [],
          `rows read for ${2 * AGENTS} handoffs${analyzed ? ", after analyze" : ""}`,
        );
      });
    }
  });
});

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { ALWAYS, CLEAN } from "../support/ledger.ts";
import { drained, judgeLoad, LOAD_ENVIRONMENT, prepareLoad, startLoad } from "../support/load.ts";
import type { Load } from "../support/load.ts";
import { eventually } from "../support/processes.ts";

const CONVERSATIONS = 10;
const MESSAGES_EACH = 15;
const MESSAGES = CONVERSATIONS * MESSAGES_EACH;
const MESSAGES_FIRST = CONVERSATIONS * (MESSAGES_EACH - 3);
/** In the middle of the first batch: some of it delivered, more of it read. */
const HELD_FIRST = 4;
/** In the middle of the second, which the other worker sends. */
const HELD_SECOND = MESSAGES_EACH - 2;
const TAKEOVER_MS = 90_000;
/** Longer than the engine waits for a sign of life, and than a batch may be old. */
const PAUSE_MIN_MS = 6_000;
/** The engine gives a silent connection up after these; its own values would take a minute, and mean the same. */
const QUICK_TO_NOTICE = {
  RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_INTERVAL: "1s",
  RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_TIMEOUT: "1s",
};

describe("zombie worker paused in the middle of a batch", () => {
  const closing = new AsyncDisposableStack();
  let bed: Bed;
  let load: Load;
  const held = new Set<string>();
  let release = () => {};
  before(async () => {
    bed = closing.use(
      await openBed({
        environment: { ...LOAD_ENVIRONMENT, DELIVERY_TIMEOUT_SECONDS: "60" },
        engineEnvironment: QUICK_TO_NOTICE,
      }),
    );
    const target = await prepareLoad(bed, { conversations: CONVERSATIONS, messagesEach: MESSAGES_EACH });
    load = startLoad(bed, target, 0);
    closing.defer(() => load.stop());
    closing.defer(() => release());
  });
  after(() => closing.disposeAsync());

  /** From now on messages with this sequence are kept waiting for their answer, until they are released. */
  function holdAt(sequence: number): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    release = resolve;
    held.clear();
    bed.receiver.respond(async ({ headers, body }) => {
      const conversationId = (body as { conversation_id: string }).conversation_id;
      if (Number(headers["signalbox-sequence"]) !== sequence) return undefined;
      held.add(conversationId);
      await promise;
      return undefined;
    });
  }
  const allHeld = () =>
    eventually("every lane is in the middle of a batch", () => held.size === CONVERSATIONS, {
      timeoutMs: 60_000,
    });
  const outcomes = () =>
    bed.database.query(
      "select lane_id, seq, id, state, attempts, finished_at, md5(body) as body from delivery order by lane_id, seq",
    );
  // Not the fence: calls that reached the paused worker meanwhile may claim the lane, and repeat what is under way.
  const lanes = () => bed.database.query("select id, state, tail_seq, done_seq from lane order by id");
  const attempts = async () => (await bed.database.query("select 1 from attempt")).length;

  it("another worker delivers the lanes of a paused worker to the end", async () => {
    // Alone, so that all lanes are its own; the other comes when it is needed.
    await bed.worker(1).stop();
    holdAt(HELD_FIRST);
    load.allow(MESSAGES_FIRST);
    await load.acceptedCount(MESSAGES_FIRST, 60_000);
    await allHeld();
    await bed.worker(0).pause();
    const pausedAt = performance.now();
    release();
    await bed.worker(1).start();
    await drained(bed, TAKEOVER_MS);
    console.log(JSON.stringify({ takeoverMs: Math.round(performance.now() - pausedAt) }));
    await eventually("its deadlines have passed", () => performance.now() - pausedAt > PAUSE_MIN_MS);
  });

  it("a zombie worker overwrites no outcome and moves no lane when it wakes up", async () => {
    holdAt(HELD_SECOND);
    load.allow(MESSAGES);
    await load.acceptedCount(MESSAGES, 60_000);
    await allHeld();
    const settled = "the replies to all messages are committed";
    await eventually(settled, async () => (await outcomes()).length === MESSAGES, { timeoutMs: 30_000 });
    const before = { outcomes: await outcomes(), lanes: await lanes(), attempts: await attempts() };
    assert.deepEqual(new Set(before.lanes.map(({ state }) => state)), new Set(["awake"]));

    await bed.worker(0).resume();
    // It logs what it did, and that is all: the proof that it came back to life in the middle of its batch.
    await eventually(
      "the paused worker ends its attempts",
      async () => (await attempts()) >= before.attempts + CONVERSATIONS,
      { timeoutMs: 30_000 },
    );
    assert.equal(await bed.worker(0).isReady(), true);
    assert.deepEqual(await outcomes(), before.outcomes);
    assert.deepEqual(await lanes(), before.lanes);
    release();
    await drained(bed, 60_000);
  });

  it("a zombie worker repeats messages at most with the same id and body, and reorders none", () => {
    const verdict = judgeLoad(bed, load, { faults: [ALWAYS] });
    console.log(JSON.stringify({ accepted: load.accepted.length, repeats: verdict.duplicates.length }));
    assert.ok(verdict.duplicates.length >= CONVERSATIONS, "void: what was held was not sent again");
    assert.deepEqual({ ...verdict, duplicates: [] }, CLEAN);
  });
});

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import { sql } from "kysely";
import { inTransaction, openWorkDatabase, type Database } from "../../platform/index.ts";
import { enqueue, laneIdOf } from "../outbox/enqueue.ts";
import { HOLD_MS } from "../outbox/lane-hold.ts";
import { claimLanes, releaseLane, renewHold, type Claim, type ClaimResult } from "./lane-store.ts";
import { settle, type Settlement } from "./settle.ts";

const HOLDER = randomUUID();
const OTHER = randomUUID();
type Call = typeof HOLDER;

describe("hold on a lane", () => {
  const open = new AsyncDisposableStack();
  let rows: Rows;
  let db: Database;
  before(async () => {
    rows = open.use(await openRows());
    const opened = openWorkDatabase({ url: rows.url, poolSize: 2, onError: () => undefined });
    open.defer(() => opened.close());
    db = opened.db;
  });
  after(() => open.disposeAsync());

  async function newLane(messages: number) {
    const { agentId, webhookId: destinationId, conversationId } = await rows.addAgent();
    const lane = { agentId, destinationId, conversationId, id: laneIdOf(destinationId, conversationId) };
    await add(lane, messages);
    return lane;
  }
  type Lane = Awaited<ReturnType<typeof newLane>>;

  async function add({ agentId, destinationId, conversationId }: Omit<Lane, "id">, messages: number) {
    const items = Array.from({ length: messages }, () => ({ body: Buffer.from("{}") }));
    await enqueue(db, { agentId, destinationId, conversationId, event: "message", sender: "ai", items });
  }

  async function ask({ agentId, id }: Lane, callId: Call, asking = db): Promise<ClaimResult> {
    const [result] = await claimLanes(asking, [{ agentId, laneId: id, callId }], 20);
    return result ?? assert.fail();
  }
  async function claim(lane: Lane, callId: Call): Promise<Claim> {
    const result = await ask(lane, callId);
    return result.kind === "claimed" ? result.claim : assert.fail(`it is ${result.kind}`);
  }
  async function isRefused(lane: Lane, callId: Call): Promise<boolean> {
    const result = await ask(lane, callId);
    return result.kind === "early" && result.byMs > HOLD_MS - 5_000 && result.byMs <= HOLD_MS;
  }
  const endsIn = ({ id }: Lane, ends: string) =>
    rows.query("update lane set held_until = now() + $2::interval where id = $1", [id, ends]);
  async function laneOf({ id }: Lane) {
    const [row] = await rows.query("select state, fence::int from lane where id = $1", [id]);
    return row;
  }

  async function settleAt(
    { agentId, id }: Lane,
    { fence, deliveries }: Claim,
    at: number,
    changes: Partial<Settlement> = {},
  ) {
    const delivery = deliveries[at] ?? assert.fail(`the claim holds no delivery ${at}`);
    const attempt = {
      id: randomUUID(),
      number: 1,
      durationMs: 5,
      cause: undefined,
      httpStatus: 200,
      url: undefined,
      proof: undefined,
      responseBody: undefined,
    };
    const { id: deliveryId, seq, createdAt } = delivery;
    const outcome = { agentId, laneId: id, fence, seq, deliveryId, createdAt, attempt };
    const delivered = { state: "delivered" as const, cause: undefined, retryInMs: 0 };
    await settle(db, [{ ...outcome, ...delivered, ...changes }]);
  }

  it("a held lane refuses another call with the time to come back, and accepts its own call at once", async () => {
    const lane = await newLane(2);
    const { fence } = await claim(lane, HOLDER);
    assert.equal(await isRefused(lane, OTHER), true);
    assert.deepEqual(await laneOf(lane), { state: "awake", fence }, "an attempt of its holder still counts");
    assert.equal((await claim(lane, HOLDER)).fence, fence + 1);
  });

  it("a lane is given to one of two calls that ask at the same moment", async () => {
    const { agentId, id: laneId } = await newLane(1);
    const asked = [HOLDER, OTHER].map((callId) => ({ agentId, laneId, callId }));
    const results = await claimLanes(db, asked, 1);
    assert.deepEqual(
      results.map(({ kind }) => kind),
      ["claimed", "early"],
    );
  });

  it("a held lane refuses a call that asked earlier but waited for the row lock", async () => {
    const lane = await newLane(2);
    const result = await inTransaction(db, async (asking) => {
      // From here on its now() stands still, before that of the holder.
      await sql`select now()`.execute(asking);
      await claim(lane, HOLDER);
      return ask(lane, OTHER, asking);
    });
    assert.equal(result.kind, "early");
  });

  it("a hold lasts while more is to send, and ends when the lane waits or becomes idle", async () => {
    const lane = await newLane(2);
    const held = await claim(lane, HOLDER);
    await settleAt(lane, held, 0);
    assert.equal(await isRefused(lane, OTHER), true);
    await settleAt(lane, held, 1, { state: "pending", cause: "http_status" });
    await settleAt(lane, await claim(lane, OTHER), 0);
    assert.equal((await laneOf(lane))?.["state"], "idle");
    await add(lane, 1);
    assert.equal((await claim(lane, HOLDER)).deliveries.length, 1);
  });

  it("a lane is free once it is released, its hold has expired, or the hold ends impossibly late", async () => {
    const lane = await newLane(1);
    await releaseLane(db, lane.agentId, lane.id, await claim(lane, HOLDER));
    await claim(lane, OTHER);
    await endsIn(lane, "-1 s");
    await claim(lane, HOLDER);
    // Given before the database clock was set back.
    await endsIn(lane, "1 h");
    await claim(lane, OTHER);
  });

  it("a hold is renewed by its holder and not by an earlier one", async () => {
    const lane = await newLane(1);
    const late = await claim(lane, HOLDER);
    const held = await claim(lane, HOLDER);
    await endsIn(lane, "1 ms");
    await renewHold(db, lane.agentId, lane.id, held);
    assert.equal(await isRefused(lane, OTHER), true);
    await endsIn(lane, "1 ms");
    await renewHold(db, lane.agentId, lane.id, late);
    await claim(lane, OTHER);
  });

  it("a hold is not released by an earlier holder", async () => {
    const lane = await newLane(1);
    const late = await claim(lane, HOLDER);
    await claim(lane, HOLDER);
    await releaseLane(db, lane.agentId, lane.id, late);
    assert.equal(await isRefused(lane, OTHER), true);
  });
});

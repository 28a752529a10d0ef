import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createBacklogRateLimit } from "./backlog-rate-limit.ts";

describe("backlog rate limit", () => {
  let nowMs = 0;
  const open = () =>
    createBacklogRateLimit({
      now: () => nowMs,
      sleep: (ms) => {
        nowMs += ms;
        return Promise.resolve();
      },
    });
  type Pace = ReturnType<typeof open>;

  /** Messages per second, over `seconds`, while another lane is taken up `lateMs` late every 40 ms. */
  async function sent(backlogRate: Pace, seconds: number, lateMs?: () => number): Promise<number> {
    const until = nowMs + 1000 * seconds;
    let notedAt = nowMs;
    let turns = 0;
    while (nowMs < until) {
      await backlogRate.acquire("back again");
      nowMs += 0.5;
      turns += 1;
      for (; lateMs !== undefined && nowMs - notedAt >= 40; notedAt += 40)
        backlogRate.note("healthy", lateMs());
    }
    return turns / seconds;
  }

  it("the backlog rate starts low and soon reaches its maximum when nothing else is sent", async () => {
    const backlogRate = open();
    assert.ok((await sent(backlogRate, 0.25)) <= 56);
    await sent(backlogRate, 2);
    assert.ok((await sent(backlogRate, 1)) > 1_900);
  });

  it("the backlog rate grows step by step while other lanes are taken up in time", async () => {
    const backlogRate = open();
    backlogRate.note("healthy", 3);
    const first = await sent(backlogRate, 1, () => 3);
    assert.ok(first < 120, `${first} in the first second`);
    await sent(backlogRate, 5, () => 3);
    assert.ok((await sent(backlogRate, 1, () => 3)) > 1_500);
  });

  it("the backlog rate drops as soon as other lanes are late, then stays just below what they bear", async () => {
    const backlogRate = open();
    await sent(backlogRate, 3);
    let atOnce = Infinity;
    const lateAbove = (limit: number) => () => (atOnce > limit ? 90 : 5);
    for (let quarter = 0; quarter < 50; quarter += 1) atOnce = await sent(backlogRate, 0.25, lateAbove(200));
    const seen: number[] = [];
    for (let quarter = 0; quarter < 200; quarter += 1) {
      atOnce = await sent(backlogRate, 0.25, lateAbove(200));
      seen.push(atOnce);
    }
    const tooQuick = seen.filter((rate) => rate > 200).length / seen.length;
    const mean = seen.reduce((sum, rate) => sum + rate, 0) / seen.length;
    assert.ok(tooQuick < 0.1, `too quick for ${tooQuick} of the time`);
    assert.ok(mean > 120, `${mean} a second, where 200 would be borne`);
  });

  it("lateness is measured against what is usual on this machine", async () => {
    const backlogRate = open();
    for (let lane = 0; lane < 1_000; lane += 1) backlogRate.note("healthy", 40);
    const before = await sent(backlogRate, 3, () => 45);
    assert.ok((await sent(backlogRate, 3, () => 45)) > 2 * before);
    await sent(backlogRate, 6, () => 200);
    assert.ok((await sent(backlogRate, 1, () => 200)) < before);
  });

  it("lanes of a destination with a backlog may wait, and lanes of others may not", async () => {
    const backlogRate = open();
    await sent(backlogRate, 3);
    for (let lane = 0; lane < 500; lane += 1) backlogRate.note("back again", 5_000);
    assert.ok((await sent(backlogRate, 1)) > 1_900);
    for (let lane = 0; lane < 10; lane += 1) backlogRate.note("healthy", 5_000);
    assert.ok((await sent(backlogRate, 1)) < 1_900);
  });

  it("the backlog rate drops once for a stall that delays many lanes, then recovers", async () => {
    const backlogRate = open();
    for (let lane = 0; lane < 100; lane += 1) backlogRate.note("healthy", 3);
    await sent(backlogRate, 4, () => 3);
    const before = await sent(backlogRate, 1, () => 3);
    nowMs += 1_500;
    for (let lane = 0; lane < 100; lane += 1) {
      backlogRate.note("healthy", 1_500 - 10 * lane);
      if (lane % 20 === 19) await sent(backlogRate, 0.1);
    }
    const after = await sent(backlogRate, 2, () => 3);
    assert.ok(after > 0.4 * before && after < 0.9 * before, `${before} before, ${after} after`);
  });

  it("the backlog rate never reaches zero, however late other lanes are", async () => {
    const backlogRate = open();
    await sent(backlogRate, 20, () => 5_000);
    assert.ok((await sent(backlogRate, 10, () => 5_000)) >= 50);
    assert.equal(backlogRate.lanesMost(), 6);
  });

  it("the backlog rate ignores one lane that was left over from an outage", async () => {
    const backlogRate = open();
    backlogRate.note("healthy", 3);
    await sent(backlogRate, 1, () => 3);
    const before = backlogRate.lanesMost();
    backlogRate.note("healthy", 3_600_000);
    await sent(backlogRate, 1, () => 3);
    assert.ok(backlogRate.lanesMost() > before);
  });

  it("an outage does not change what counts as usual lateness", async () => {
    const backlogRate = open();
    for (let lane = 0; lane < 10_000; lane += 1) backlogRate.note("healthy", 3_600_000);
    const before = await sent(backlogRate, 2, () => 3);
    await sent(backlogRate, 3, () => 400);
    assert.ok((await sent(backlogRate, 1, () => 400)) < before);
  });

  it("a wait for the backlog rate is at most 500 ms, so that no batch becomes stale", async () => {
    const waitsMs: number[] = [];
    const backlogRate = createBacklogRateLimit({
      now: () => 0,
      sleep: (ms) => Promise.resolve(waitsMs.push(ms)),
    });
    for (let lane = 0; lane < 100; lane += 1) await backlogRate.acquire("back again");
    assert.equal(Math.max(...waitsMs), 500);
  });

  it("a backlog that ended long ago no longer limits anything", async () => {
    const backlogRate = open();
    await sent(backlogRate, 20, () => 5_000);
    nowMs += 60_000;
    assert.equal(backlogRate.lanesMost(), Infinity);
  });
});

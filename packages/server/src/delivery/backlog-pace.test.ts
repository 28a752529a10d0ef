import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createBacklogPace } from "./backlog-pace.ts";

describe("the pace of backlogs", () => {
  let nowMs = 0;
  const open = () =>
    createBacklogPace({
      now: () => nowMs,
      sleep: (ms) => {
        nowMs += ms;
        return Promise.resolve();
      },
    });
  type Pace = ReturnType<typeof open>;

  /** Messages a second over so many seconds, while another lane is taken up every 40 ms, so late. */
  async function sent(pace: Pace, seconds: number, lateMs?: () => number): Promise<number> {
    const until = nowMs + 1000 * seconds;
    let notedAt = nowMs;
    let turns = 0;
    while (nowMs < until) {
      await pace.turn("back again");
      nowMs += 0.5;
      turns += 1;
      for (; lateMs !== undefined && nowMs - notedAt >= 40; notedAt += 40) pace.note("healthy", lateMs());
    }
    return turns / seconds;
  }

  it("begins slowly and is soon as quick as can be where nobody else has anything to send", async () => {
    const pace = open();
    assert.ok((await sent(pace, 0.25)) <= 56);
    await sent(pace, 2);
    assert.ok((await sent(pace, 1)) > 1_900);
  });

  it("grows step by step beside others, as long as they are taken up in time", async () => {
    const pace = open();
    pace.note("healthy", 3);
    const first = await sent(pace, 1, () => 3);
    assert.ok(first < 120, `${first} in the first second`);
    await sent(pace, 5, () => 3);
    assert.ok((await sent(pace, 1, () => 3)) > 1_500);
  });

  it("gives way as soon as others are late, from whatever it was, and stays close below what they bear", async () => {
    const pace = open();
    await sent(pace, 3);
    let atOnce = Infinity;
    const lateAbove = (limit: number) => () => (atOnce > limit ? 90 : 5);
    for (let quarter = 0; quarter < 50; quarter += 1) atOnce = await sent(pace, 0.25, lateAbove(200));
    const seen: number[] = [];
    for (let quarter = 0; quarter < 200; quarter += 1) {
      atOnce = await sent(pace, 0.25, lateAbove(200));
      seen.push(atOnce);
    }
    const tooQuick = seen.filter((rate) => rate > 200).length / seen.length;
    const mean = seen.reduce((sum, rate) => sum + rate, 0) / seen.length;
    assert.ok(tooQuick < 0.1, `too quick for ${tooQuick} of the time`);
    assert.ok(mean > 120, `${mean} a second, where 200 would be borne`);
  });

  it("counts as late what is late for this machine: beside a far database everybody takes longer", async () => {
    const pace = open();
    for (let lane = 0; lane < 1_000; lane += 1) pace.note("healthy", 40);
    const before = await sent(pace, 3, () => 45);
    assert.ok((await sent(pace, 3, () => 45)) > 2 * before);
    await sent(pace, 6, () => 200);
    assert.ok((await sent(pace, 1, () => 200)) < before);
  });

  it("lets the lanes of a destination that has a backlog wait for it, and those of no other", async () => {
    const pace = open();
    await sent(pace, 3);
    for (let lane = 0; lane < 500; lane += 1) pace.note("back again", 5_000);
    assert.ok((await sent(pace, 1)) > 1_900);
    for (let lane = 0; lane < 10; lane += 1) pace.note("healthy", 5_000);
    assert.ok((await sent(pace, 1)) < 1_900);
  });

  it("gives way once to a stall that makes many late at once, and takes up its pace again", async () => {
    const pace = open();
    for (let lane = 0; lane < 100; lane += 1) pace.note("healthy", 3);
    await sent(pace, 4, () => 3);
    const before = await sent(pace, 1, () => 3);
    nowMs += 1_500;
    for (let lane = 0; lane < 100; lane += 1) {
      pace.note("healthy", 1_500 - 10 * lane);
      if (lane % 20 === 19) await sent(pace, 0.1);
    }
    const after = await sent(pace, 2, () => 3);
    assert.ok(after > 0.4 * before && after < 0.9 * before, `${before} before, ${after} after`);
  });

  it("never stands still, however late others are, so that a backlog ends", async () => {
    const pace = open();
    await sent(pace, 20, () => 5_000);
    assert.ok((await sent(pace, 10, () => 5_000)) >= 50);
    assert.equal(pace.lanesMost(), 6);
  });

  it("is not held back by one lane that nobody came for in an outage", async () => {
    const pace = open();
    pace.note("healthy", 3);
    await sent(pace, 1, () => 3);
    const before = pace.lanesMost();
    pace.note("healthy", 3_600_000);
    await sent(pace, 1, () => 3);
    assert.ok(pace.lanesMost() > before);
  });

  it("does not take an outage for what is usual", async () => {
    const pace = open();
    for (let lane = 0; lane < 10_000; lane += 1) pace.note("healthy", 3_600_000);
    const before = await sent(pace, 2, () => 3);
    await sent(pace, 3, () => 400);
    assert.ok((await sent(pace, 1, () => 400)) < before);
  });

  it("makes nobody wait so long that what he holds has to be read again", async () => {
    const waitsMs: number[] = [];
    const pace = createBacklogPace({ now: () => 0, sleep: (ms) => Promise.resolve(waitsMs.push(ms)) });
    for (let lane = 0; lane < 100; lane += 1) await pace.turn("back again");
    assert.equal(Math.max(...waitsMs), 500);
  });

  it("knows nothing any more of a backlog that ended long ago", async () => {
    const pace = open();
    await sent(pace, 20, () => 5_000);
    nowMs += 60_000;
    assert.equal(pace.lanesMost(), Infinity);
  });
});

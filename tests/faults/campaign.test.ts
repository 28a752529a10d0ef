import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { addFigures, complaintsOf } from "./campaign/result.ts";
import type { Figures } from "./campaign/result.ts";
import { proven } from "./campaign/fault.ts";
import { RESUME_MAX_SECONDS } from "./campaign/machine-faults.ts";
import type { Evidence } from "./campaign/fault.ts";
import { seededRandom } from "./campaign/seeded-random.ts";
import { strikeAll } from "./campaign/strikes.ts";
import { runOnPrivateMachine, whyNoPrivateMachine } from "../support/private-machine.ts";

const FAULTS = 100;
const MESSAGES_MIN = 3_000;
const CUT_ANSWERS_MIN = 20;
const LAST_LINES = 60;
const RUN = fileURLToPath(new URL("./run.ts", import.meta.url));

const CLEAN_RUN: Figures = {
  runs: 1,
  faults_proven: 100,
  accepted: 10_000,
  lost: 0,
  reordered: 0,
  duplicates: 12,
  missed: 0,
  voided: 0,
  stuck: 0,
  phantoms: 0,
  repeats_with_other_id: 0,
  repeats_with_other_body: 0,
  duplicates_without_fault: 0,
  cut_answers: 40,
  stored_twice: 0,
  not_stored: 0,
  false_refusals: 0,
  shown_wrong: 0,
  silent: 0,
  dead_letters: 3,
  given_up: 0,
  given_up_causes: {},
  given_up_at_once: 0,
  unanswered: 7,
  attempts: 11_000,
  minutes: 3.5,
  drain_seconds_max: 20,
  overloaded_seconds: 0,
  resume_s_max: 0,
  resume_s: {},
  gap_s: {},
  stray_writes: 0,
  by_kind: { kill_worker: 60, pause_engine: 40 },
  not_run: {},
  developer_trouble: { reset: 5 },
  other_answers: { "50300": 4, unanswered: 3 },
};

describe("figures of a fault run", () => {
  it("a fault run complains of every broken promise and of unproven faults", () => {
    assert.deepEqual(complaintsOf(CLEAN_RUN), []);
    for (const name of [
      "lost",
      "stuck",
      "reordered",
      "phantoms",
      "duplicates_without_fault",
      "stored_twice",
      "not_stored",
      "false_refusals",
      "shown_wrong",
      "given_up_at_once",
      "voided",
      "stray_writes",
    ] as const)
      assert.deepEqual(complaintsOf({ ...CLEAN_RUN, [name]: 1 }), [`${name}: 1`]);
    assert.equal(complaintsOf({ ...CLEAN_RUN, other_answers: { "50000": 2 } }).length, 1);
    assert.equal(complaintsOf({ ...CLEAN_RUN, faults_proven: 0 }).length, 1);
    assert.equal(complaintsOf({ ...CLEAN_RUN, resume_s_max: RESUME_MAX_SECONDS }).length, 1);
  });

  it("the figures of fault runs add up, and a kind that one of them ran counts as run", () => {
    const lacking = { ...CLEAN_RUN, by_kind: { kill_worker: 1 }, not_run: { pause_engine: "x", loss: "y" } };
    const sum = addFigures(lacking, { ...CLEAN_RUN, drain_seconds_max: 9, lost: 2 });
    assert.deepEqual([sum.runs, sum.accepted, sum.lost, sum.minutes], [2, 20_000, 2, 7]);
    assert.equal(sum.drain_seconds_max, 20);
    const [slow, quick] = [{ resume_s: { wipe: [4, 2] }, resume_s_max: 4 }, { resume_s: { wipe: [1] } }];
    const resumed = addFigures({ ...CLEAN_RUN, ...slow }, { ...CLEAN_RUN, ...quick });
    assert.deepEqual([resumed.resume_s, resumed.resume_s_max], [{ wipe: [4, 2, 1] }, 4]);
    assert.deepEqual(sum.by_kind, { kill_worker: 61, pause_engine: 40 });
    assert.deepEqual(sum.not_run, { loss: "y" });
    const { given_up_at_once: _, ...older } = CLEAN_RUN;
    for (const pair of [
      [older, CLEAN_RUN],
      [CLEAN_RUN, older],
    ] as [Figures, Figures][])
      assert.equal(addFigures(...pair).given_up_at_once, 0, "an older run did not count it yet");
  });
});

describe("unproven fault", () => {
  const strikeUntil = (faults: number, strike: () => Promise<Evidence>) => {
    let received = 0;
    return strikeAll(
      [{ kind: "flaky", part: "pool", weight: 1, strike }],
      { minutes: 0, faults, messages: 0, only: [], say: () => undefined },
      {
        random: seededRandom(1),
        underWay: () => 100,
        accepted: () => 100,
        received: () => (received += 100),
      },
    );
  };

  it("a fault that does not take hold is repeated and counts only once proven", async () => {
    let strikes = 0;
    const struck = await strikeUntil(3, async () => {
      strikes += 1;
      proven(strikes !== 2, "the pool is full");
      return {};
    });
    assert.deepEqual([struck.proven.length, struck.missed.length, struck.voided.length], [3, 1, 0]);
  });

  it("a fault that never takes hold voids the run", async () => {
    let strikes = 0;
    const struck = await strikeUntil(1, async () => {
      strikes += 1;
      proven(strikes > 3, "the pool is full");
      return {};
    });
    assert.deepEqual([struck.proven.length, struck.missed.length, struck.voided.length], [1, 2, 1]);
  });
});

describe(`${FAULTS} faults under load`, () => {
  it(
    "all faults under load are proven, and no message is lost or reordered",
    { timeout: 1_200_000 },
    async (t) => {
      const lacks = whyNoPrivateMachine();
      if (lacks !== undefined) return t.skip(lacks);
      const lines: string[] = [];
      const code = await runOnPrivateMachine(RUN, ["--faults", String(FAULTS), "--json"], (line) => {
        lines.push(line);
      });
      const story = lines.slice(-LAST_LINES).join("\n");
      const figures = JSON.parse(lines.at(-1) ?? "{}") as Figures;
      for (const [kind, why] of Object.entries(figures.not_run)) t.diagnostic(`not run: ${kind} ${why}`);
      t.diagnostic(lines.at(-1) ?? "");
      const broken = complaintsOf({ ...figures, voided: 0 });
      assert.deepEqual(broken, [], story);
      if (figures.voided > 0) throw new Error(`void: ${figures.voided} faults were not proven\n${story}`);
      assert.ok(figures.faults_proven >= FAULTS, story);
      assert.ok(
        figures.cut_answers >= CUT_ANSWERS_MIN,
        `void: only ${figures.cut_answers} answers cut off\n${story}`,
      );
      assert.ok(figures.accepted >= MESSAGES_MIN, `void: only ${figures.accepted} messages\n${story}`);
      assert.equal(code, 0, story);
    },
  );
});

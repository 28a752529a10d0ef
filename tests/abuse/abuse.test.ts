import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { atMost } from "../support/machine.ts";
import { runCampaign, type CampaignResult } from "./campaign.ts";
import { figuresOf, RATIO_MAX } from "./figures.ts";
import { VECTORS } from "./vectors.ts";

const tally = { requests: 9, accepted: 1, refused: 8, failed: 0 };
const held: CampaignResult = {
  restMedianMs: 20,
  restP99Ms: 40,
  restErrors: [],
  vectors: [
    { name: "appends", tally, proven: true, medianMs: 25, p99Ms: 60, ratio: 1.5, stolenShare: 0, errors: [] },
  ],
};

describe("figures of an abuse campaign", () => {
  it("a vector counts as held when the victim kept its p99 and saw no error", () => {
    assert.deepEqual(figuresOf(held), {
      figures: {
        vectors: 1,
        held: 1,
        victim_p99_ratio_max: 1.5,
        victim_errors: 0,
        victim_p99_ms_at_rest: 40,
      },
      faults: [],
    });
  });

  it("a slow victim, an error and a vector that proves nothing are reported as faults", () => {
    const [vector] = held.vectors;
    assert.ok(vector !== undefined);
    const broken: CampaignResult["vectors"] = [
      { ...vector, ratio: 2.1 },
      { ...vector, ratio: Number.NaN },
      { ...vector, errors: ["HTTP 503", "HTTP 503"] },
      { ...vector, proven: false },
    ];
    const { figures, faults } = figuresOf({ ...held, vectors: broken });
    assert.deepEqual([figures.held, figures.victim_errors, faults.length], [0, 2, 4]);
  });
});

/** Thirty questions beside another test file: the slowest of them is the machine's doing, the median is not. */
const HICCUP_MS = 250;

describe("abusive tenant and abusive visitor", () => {
  it("no abuse vector causes the victim an error or a slow answer", async (context) => {
    const result = await runCampaign({
      seconds: 3,
      restSeconds: 2,
      pairs: 10_000,
      perSecond: 10,
      // The reporter knows what the host did.
      tries: 1,
      only: [],
      say: (line) => context.diagnostic(line),
    });
    assert.equal(result.vectors.length, VECTORS.length);
    const { figures } = figuresOf(result);
    context.diagnostic(JSON.stringify(figures));
    const unproven = result.vectors.filter(({ proven }) => !proven).map(({ name }) => name);
    assert.deepEqual(unproven, [], "every vector did what harms");
    assert.deepEqual([...result.restErrors, ...result.vectors.flatMap(({ errors }) => errors)], []);
    const allowedMs = Math.max(RATIO_MAX * result.restMedianMs, result.restMedianMs + HICCUP_MS);
    for (const { name, medianMs } of result.vectors)
      atMost(medianMs, allowedMs, `the victim's median under ${name}`);
  });
});

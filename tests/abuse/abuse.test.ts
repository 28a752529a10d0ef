import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CampaignResult } from "./campaign.ts";
import { figuresOf } from "./figures.ts";

const tally = { requests: 9, accepted: 1, refused: 8, failed: 0 };
const held: CampaignResult = {
  restP99Ms: 40,
  restErrors: [],
  vectors: [{ name: "appends", tally, p99Ms: 60, ratio: 1.5, errors: [] }],
};

describe("figuresOf an abuse campaign", () => {
  it("counts a vector as held when the victim kept its p99 and saw no error", () => {
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

  it("finds fault with a slow victim, with an error, and with a vector that sent nothing", () => {
    const [vector] = held.vectors;
    assert.ok(vector !== undefined);
    const broken: CampaignResult["vectors"] = [
      { ...vector, ratio: 2.1 },
      { ...vector, ratio: Number.NaN },
      { ...vector, errors: ["HTTP 503", "HTTP 503"] },
      { ...vector, tally: { ...tally, requests: 0 } },
    ];
    const { figures, faults } = figuresOf({ ...held, vectors: broken });
    assert.deepEqual([figures.held, figures.victim_errors, faults.length], [1, 2, 4]);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nearTerms } from "./near-terms.ts";
import { countText, noStatistics } from "./statistics.ts";
import { termsOf } from "./terms.ts";

function statisticsOf(...questions: string[]) {
  const statistics = noStatistics();
  for (const question of questions) countText(statistics.question, termsOf(question));
  return statistics;
}

describe("near terms", () => {
  const statistics = statisticsOf("How do I return a parcel?", "When is my refund paid?", "如何注销银行卡");

  it("a misspelt word is matched to the nearest word of the base", () => {
    const near = nearTerms(statistics, termsOf("refudn retrun"));
    assert.equal(near.get("refudn")?.[0]?.term, "refund");
    assert.equal(near.get("retrun")?.[0]?.term, "return");
  });

  it("a known word and one without a near match get no near terms", () => {
    assert.equal(nearTerms(statistics, termsOf("refund")).size, 0);
    assert.equal(nearTerms(statistics, termsOf("kayak xy")).size, 0);
  });

  it("character pairs that share one are near in scripts without spaces", () => {
    const near = nearTerms(statistics, termsOf("注消"));
    assert.ok(near.get("注消")?.some(({ term }) => term === "注销"));
  });
});

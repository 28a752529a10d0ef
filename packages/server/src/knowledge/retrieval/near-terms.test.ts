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

  it("finds the word of the base that a misspelt one was meant to be", () => {
    const near = nearTerms(statistics, termsOf("refudn retrun"));
    assert.equal(near.get("refudn")?.[0]?.term, "refund");
    assert.equal(near.get("retrun")?.[0]?.term, "return");
  });

  it("looks for nothing where the base knows the word, or none is like it", () => {
    assert.equal(nearTerms(statistics, termsOf("refund")).size, 0);
    assert.equal(nearTerms(statistics, termsOf("kayak xy")).size, 0);
  });

  it("finds pairs of characters that share one, in scripts without blanks", () => {
    const near = nearTerms(statistics, termsOf("注消"));
    assert.ok(near.get("注消")?.some(({ term }) => term === "注销"));
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Defect } from "./handwritten-receiver.ts";
import { CAUGHT, judge } from "./mistakes.ts";

describe("conform", () => {
  it("finds nothing wrong with a receiver written by the documents", async () => {
    const report = await judge();
    assert.deepEqual(
      report.results.filter(({ state }) => state !== "passed"),
      [],
    );
    assert.equal(report.passed, report.results.length);
  });

  for (const [defect, [rule, found, fix]] of Object.entries(CAUGHT) as [Defect, (typeof CAUGHT)[Defect]][]) {
    it(`catches: ${defect}`, async () => {
      // Each call of a slow receiver is slow.
      const { results } = await judge(defect, { rules: defect === "slow" ? ["in-time"] : undefined });
      const failed = results.filter(({ state }) => state === "failed");
      const caught = failed.find(({ id }) => id === rule);
      assert.ok(caught, `${rule} did not fail; ${failed.map(({ id }) => id).join(", ")} did`);
      assert.match(caught.found ?? "", found);
      assert.match(caught.fix ?? "", fix);
    });
  }

  it("blames nothing else on the mistakes that touch one rule", async () => {
    const single: Defect[] = [
      "old signature accepted",
      "first signature only",
      "parsed body",
      "istest handled",
      "istest refused",
      "no dedup",
      "repeat refused",
      "msg everywhere",
      "null ids refused",
      "unknown close refused",
    ];
    for (const defect of single) {
      const failed = (await judge(defect)).results.filter(({ state }) => state === "failed");
      assert.deepEqual(
        failed.map(({ id }) => id),
        [CAUGHT[defect][0]],
        defect,
      );
    }
  });

  it("says what it did not look at", async () => {
    const { results, skipped } = await judge(undefined, {
      as: "message",
      username: undefined,
      signingSecret: undefined,
      effects: undefined,
    });
    const ids = results.filter(({ state }) => state === "skipped").map(({ id }) => id);
    assert.equal(skipped, ids.length);
    for (const id of ["no-credentials", "raw-bytes", "test-ignored"]) assert.ok(ids.includes(id), id);
    assert.ok(!results.some(({ id }) => id === "takes-every-handoff"));
  });
});

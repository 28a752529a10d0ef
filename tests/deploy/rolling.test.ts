import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { drillRolling } from "./drills/rolling.ts";

describe("rolling upgrade", () => {
  it("two versions serve side by side, roll back and forward under traffic: no request fails, no message is lost", async (t) => {
    const { requests, failed, rolledBack, verdict, steps } = await drillRolling({
      seconds: 1,
      say: (line) => t.diagnostic(line),
    });
    assert.deepEqual(failed, [], `of ${requests}`);
    assert.deepEqual(verdict, { lost: [], stuck: [], reordered: [], phantoms: [] });
    assert.equal(rolledBack, true);
    const [older] = steps[0]?.match(/\d{4}/) ?? [];
    assert.deepEqual(
      steps.map((step) =>
        step
          .replace(/^.*: /, "")
          .replaceAll(older ?? "", "old")
          .replaceAll("9000", "new"),
      ),
      [
        "old and old",
        "old and old",
        "old and old",
        "new and old",
        "new and new",
        "old and new",
        "old and old",
        "new and new",
      ],
    );
  });
});

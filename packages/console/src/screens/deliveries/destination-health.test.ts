import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Cause, Delivery } from "@signalbox/contract";
import { BY_NEED, healthOf } from "./destination-health.ts";

const WORKS = { breaker: "closed", lanes_retrying: 0 } as const;

function tried(create_time: number, state: Delivery["state"], cause: Cause | null = null) {
  return { create_time, state, cause };
}

describe("healthOf", () => {
  it("healthOf calls a destination failing that refused what it was sent and took nothing", () => {
    assert.equal(healthOf(WORKS, [tried(1, "pending", "http_status"), tried(2, "pending")]), "failing");
    assert.equal(healthOf(WORKS, [tried(1, "dead", "unacknowledged")]), "failing");
    assert.equal(healthOf({ ...WORKS, lanes_retrying: 1 }, []), "failing");
  });

  it("healthOf says that some fail where others arrive", () => {
    assert.equal(healthOf(WORKS, [tried(1, "pending", "timeout"), tried(2, "delivered")]), "partly");
    assert.equal(healthOf(WORKS, [tried(1, "delivered"), tried(2, "dead", "timeout")]), "partly");
  });

  it("healthOf forgets what was given up once a later delivery arrived, and what was erased", () => {
    assert.equal(healthOf(WORKS, [tried(1, "dead", "timeout"), tried(2, "delivered")]), "closed");
    assert.equal(healthOf(WORKS, [tried(1, "dead", "erased")]), "closed");
    assert.equal(healthOf(WORKS, [tried(1, "pending")]), "closed");
    assert.equal(healthOf(WORKS, []), "closed");
  });

  it("healthOf leaves an open or disabled breaker as it is, and these come before all others", () => {
    assert.equal(healthOf({ breaker: "open", lanes_retrying: 3 }, [tried(1, "delivered")]), "open");
    assert.equal(healthOf({ breaker: "disabled", lanes_retrying: 0 }, []), "disabled");
    assert.deepEqual(
      (["closed", "partly", "failing", "disabled", "open"] as const).toSorted(
        (a, b) => BY_NEED[a] - BY_NEED[b],
      ),
      ["open", "disabled", "failing", "partly", "closed"],
    );
  });
});

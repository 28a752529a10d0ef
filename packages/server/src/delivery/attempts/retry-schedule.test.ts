import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CAUSE_NAMES } from "@signalbox/contract";
import { mayHaveArrived, type Outcome } from "./attempt-outcome.ts";
import { nextUrgentStep } from "./retry-schedule.ts";

const refused = (status: number): Outcome => ({ kind: "refused", status, retryAfterMs: 3_600_000 });

const TRIES = 3;

describe("urgent calls", () => {
  it("an urgent call is tried three times, half a second apart, whatever Retry-After says", () => {
    assert.deepEqual(nextUrgentStep({ kind: "delivered", status: 200, acknowledged: false }, 1, TRIES), {
      do: "finish",
    });
    for (const number of [1, 2])
      assert.deepEqual(nextUrgentStep(refused(503), number, TRIES), { do: "retry", inMs: 500 });
    assert.deepEqual(nextUrgentStep(refused(503), 3, TRIES), { do: "give_up", cause: "http_status" });
  });

  it("an urgent call is given up at once when a retry cannot succeed", () => {
    for (const outcome of [
      { kind: "no_destination" },
      { kind: "destination_down" },
      { kind: "unanswered", cause: "invalid_request", detail: "" },
      refused(410),
    ] satisfies Outcome[])
      assert.equal(nextUrgentStep(outcome, 1, TRIES).do, "give_up", outcome.kind);
  });

  it("a call may have arrived unless it was never sent or was explicitly refused", () => {
    const arrived = CAUSE_NAMES.filter((cause) => mayHaveArrived({ cause, httpStatus: 503 }));
    assert.deepEqual(arrived, [
      "connection_lost",
      "timeout",
      "headers_too_large",
      "malformed_response",
      "unacknowledged",
      "expired",
      "erased",
    ]);
    for (const httpStatus of [201, 202, 204, 500, 502, 504])
      assert.ok(mayHaveArrived({ cause: "http_status", httpStatus }));
    for (const httpStatus of [400, 404, 429, 503])
      assert.ok(!mayHaveArrived({ cause: "http_status", httpStatus }));
  });
});

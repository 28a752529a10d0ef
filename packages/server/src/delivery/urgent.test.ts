import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CAUSE_NAMES } from "@signalbox/contract";
import type { Outcome } from "./outcome.ts";
import { mayHaveArrived, nextUrgentStep } from "./urgent.ts";

const refused = (status: number): Outcome => ({ kind: "refused", status, retryAfterMs: 3_600_000 });

const SHIPPED = { timeoutMs: 3_000, tries: 3 };

describe("a call that somebody waits for", () => {
  it("is tried three times, half a second apart, whatever the developer asks for", () => {
    assert.deepEqual(nextUrgentStep({ kind: "delivered", status: 200, acknowledged: false }, 1, SHIPPED), {
      do: "finish",
    });
    for (const number of [1, 2])
      assert.deepEqual(nextUrgentStep(refused(503), number, SHIPPED), { do: "retry", inMs: 500 });
    assert.deepEqual(nextUrgentStep(refused(503), 3, SHIPPED), { do: "give_up", cause: "http_status" });
  });

  it("is given up at once where another try could not go better", () => {
    for (const outcome of [
      { kind: "no_destination" },
      { kind: "destination_down" },
      { kind: "unanswered", cause: "invalid_request", detail: "" },
      refused(410),
    ] satisfies Outcome[])
      assert.equal(nextUrgentStep(outcome, 1, SHIPPED).do, "give_up", outcome.kind);
  });

  it("may have arrived unless it was never sent, or refused in so many words", () => {
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
    for (const httpStatus of [500, 502, 504]) assert.ok(mayHaveArrived({ cause: "http_status", httpStatus }));
    for (const httpStatus of [400, 404, 429, 503])
      assert.ok(!mayHaveArrived({ cause: "http_status", httpStatus }));
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Database } from "../../platform/index.ts";
import type { DestinationRow } from "../../webhooks/index.ts";
import { deskCallPolicies } from "./desk-call-policies.ts";

const desk = { establish_timeout_ms: 3_000, establish_tries: 2 } as DestinationRow;
const REFUSED = { kind: "refused", status: 503, retryAfterMs: undefined } as const;

/** What a policy decides before it writes anything: it needs no database. */
const { handoff_requested, user_message } = deskCallPolicies({
  db: {} as Database,
  engine: {
    send: async () => true,
    setAlarm: async () => true,
    probe: async () => undefined,
    close: async () => undefined,
  },
  broadcast: { tell: () => undefined },
  timeoutMs: 10_000,
  retry: { delaysMs: [1_000], blockedMaxMs: 60_000 },
});

describe("delivery policies of desk calls", () => {
  it("a handoff request has the desk's own timeout, capped at the service's", () => {
    assert.equal(handoff_requested.timeoutMs(desk), 3_000);
    assert.equal(handoff_requested.timeoutMs({ ...desk, establish_timeout_ms: 30_000 }), 10_000);
  });

  it("a handoff request is given up after the desk's own number of attempts", () => {
    const facts = { blockedForMs: 0, jitter: 0 };
    assert.deepEqual(handoff_requested.nextStep(REFUSED, { ...facts, number: 1 }, desk), {
      do: "retry",
      inMs: 500,
    });
    assert.deepEqual(handoff_requested.nextStep(REFUSED, { ...facts, number: 2 }, desk), {
      do: "give_up",
      cause: "http_status",
    });
  });

  it("a user's message to the desk has the service's timeout and backoff", () => {
    const facts = { number: 2, blockedForMs: 0, jitter: 0 };
    assert.equal(user_message.timeoutMs(desk), 10_000);
    assert.deepEqual(user_message.nextStep(REFUSED, facts, desk), { do: "retry", inMs: 1_000 });
    assert.equal(user_message.isUrgent, false);
  });
});

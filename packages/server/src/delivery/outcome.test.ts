import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { OutboundResult, UnansweredCause } from "../platform/index.ts";
import { causeOf, nextStep, outcomeOf, type Outcome } from "./outcome.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const HOUR_MS = 3_600_000;
const DELAYS_MS = [1_000, 3_000, 10_000];

/** A cause without a row here does not compile. */
const UNANSWERED: Record<UnansweredCause, true> = {
  forbidden_address: true,
  dns_not_found: true,
  connect_refused: true,
  connection_lost: true,
  tls_failed: true,
  timeout: true,
  invalid_request: true,
};
const CAUSES = Object.keys(UNANSWERED) as UnansweredCause[];

function answered(status: number, body = "", retryAfter?: string): OutboundResult {
  return { kind: "answered", status, retryAfter, body: Buffer.from(body) };
}

describe("the outcome of an attempt", () => {
  const success = '{"code":200,"msg":"success"}';
  const bodies: [body: string, acknowledged: boolean][] = [
    [success, true],
    ['{"msg":"success","code":200,"more":1}', true],
    ["", false],
    ["<html>ok</html>", false],
    ['{"code":500,"msg":"success"}', false],
    ['{"code":"200","msg":"success"}', false],
    ['{"code":200,"msg":"ok"}', false],
    ["null", false],
    ["[200]", false],
    ["\u0000\ufffd{", false],
  ];
  for (const [body, acknowledged] of bodies) {
    it(`is a delivery at HTTP 200 with ${JSON.stringify(body)}, acknowledged: ${acknowledged}`, () => {
      assert.deepEqual(outcomeOf(answered(200, body), false, NOW), {
        kind: "delivered",
        status: 200,
        acknowledged,
      });
      const strict = outcomeOf(answered(200, body), true, NOW);
      assert.equal(strict.kind, acknowledged ? "delivered" : "unacknowledged");
    });
  }

  it("is a delivery at HTTP 200 and at no other status, whatever the body says", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), fc.boolean(), (status, strict) => {
        const { kind } = outcomeOf(answered(status, success), strict, NOW);
        assert.equal(kind, status === 200 ? "delivered" : "refused");
      }),
    );
  });

  const waits: [header: string, expectedMs: number | undefined][] = [
    ["120", 120_000],
    ["0", 0],
    ["1000000000", HOUR_MS],
    ["9".repeat(400), HOUR_MS],
    ["Sun, 01 Mar 2026 12:00:30 GMT", 30_000],
    ["Sun, 01 Mar 2026 11:00:00 GMT", 0],
    ["Sat, 01 Mar 2036 12:00:00 GMT", HOUR_MS],
    ["soon", undefined],
    ["", undefined],
  ];
  for (const [header, expectedMs] of waits) {
    it(`reads Retry-After: ${header.slice(0, 40)} as ${expectedMs} ms`, () => {
      const outcome = outcomeOf(answered(503, "", header), false, NOW);
      assert.deepEqual(outcome, { kind: "refused", status: 503, retryAfterMs: expectedMs });
    });
  }

  it("comes of every header and body without a throw, and no wait leaves its bounds", () => {
    const header = fc.option(fc.oneof(fc.string(), fc.integer().map(String), fc.date().map(String)), {
      nil: undefined,
    });
    fc.assert(
      fc.property(header, fc.uint8Array(), fc.boolean(), (retryAfter, body, strict) => {
        const result: OutboundResult = {
          kind: "answered",
          status: 429,
          retryAfter,
          body: Buffer.from(body),
        };
        const outcome = outcomeOf(result, strict, NOW);
        assert.ok(outcome.kind === "refused");
        const waitMs = outcome.retryAfterMs ?? 0;
        assert.ok(waitMs >= 0 && waitMs <= HOUR_MS, `${retryAfter} gave ${waitMs}`);
      }),
    );
  });

  it("has a word for every way to fail, and none for a delivery", () => {
    assert.equal(causeOf({ kind: "delivered", status: 200, acknowledged: true }), undefined);
    const failures: Outcome[] = [
      { kind: "refused", status: 500, retryAfterMs: undefined },
      { kind: "unacknowledged", status: 200 },
      { kind: "no_destination" },
      ...CAUSES.map((cause): Outcome => ({ kind: "unanswered", cause, detail: "" })),
    ];
    const words = failures.map(causeOf);
    assert.deepEqual(
      words.filter((word) => word === undefined || !/^[a-z_]+$/.test(word)),
      [],
    );
    assert.equal(new Set(words).size, failures.length, "two failures share a word");
  });
});

const retried = fc.oneof(
  fc.record({
    kind: fc.constant("refused" as const),
    status: fc.integer({ min: 100, max: 599 }),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: HOUR_MS }), { nil: undefined }),
  }),
  fc.record({ kind: fc.constant("unacknowledged" as const), status: fc.constant(200 as const) }),
  fc.record({
    kind: fc.constant("unanswered" as const),
    cause: fc.constantFrom(...CAUSES),
    detail: fc.string(),
  }),
);
const jitters = fc.double({ min: 0, max: 1, noNaN: true });

describe("the next step", () => {
  it("finishes a delivery and gives up what has nowhere to go", () => {
    const delivered: Outcome = { kind: "delivered", status: 200, acknowledged: false };
    assert.deepEqual(nextStep(delivered, 1, DELAYS_MS, 0), { do: "finish" });
    assert.deepEqual(nextStep({ kind: "no_destination" }, 1, DELAYS_MS, 0), { do: "give_up" });
  });

  it("waits after the n-th failure for the n-th delay, and for the last one from then on", () => {
    const timeout: Outcome = { kind: "unanswered", cause: "timeout", detail: "" };
    const steps = [1, 2, 3, 4, 50].map((attempt) => nextStep(timeout, attempt, DELAYS_MS, 0));
    assert.deepEqual(
      steps,
      [1_000, 3_000, 10_000, 10_000, 10_000].map((inMs) => ({ do: "retry", inMs })),
    );
  });

  it("never tries again sooner than the developer asked or than its own delay, nor a fifth later than both", () => {
    const delays = fc.array(fc.integer({ min: 0, max: HOUR_MS }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        retried,
        fc.integer({ min: 1, max: 100 }),
        delays,
        jitters,
        (outcome, attempt, delaysMs, jitter) => {
          const step = nextStep(outcome, attempt, delaysMs, jitter);
          assert.ok(step.do === "retry");
          const ownMs = delaysMs[Math.min(attempt, delaysMs.length) - 1] ?? assert.fail();
          const askedMs = outcome.kind === "refused" ? (outcome.retryAfterMs ?? 0) : 0;
          assert.ok(step.inMs >= Math.max(ownMs, askedMs));
          assert.ok(step.inMs <= Math.max(Math.ceil(1.2 * ownMs), askedMs));
          assert.ok(Number.isInteger(step.inMs));
        },
      ),
    );
  });

  it("spreads messages that failed together", () => {
    const timeout: Outcome = { kind: "unanswered", cause: "timeout", detail: "" };
    const [least, most] = [0, 1].map((jitter) => nextStep(timeout, 3, DELAYS_MS, jitter));
    assert.deepEqual(
      [least, most],
      [
        { do: "retry", inMs: 10_000 },
        { do: "retry", inMs: 12_000 },
      ],
    );
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { OutboundResult, UnansweredCause } from "../../platform/index.ts";
import { causeOf, isAlive, outcomeOf, type Outcome } from "./attempt-outcome.ts";
import { nextStep, type RetryPolicy } from "./retry-schedule.ts";

const NOW = new Date("2026-03-01T12:00:00Z");
const HOUR_MS = 3_600_000;
const POLICY: RetryPolicy = { delaysMs: [1_000, 3_000, 10_000], blockedMaxMs: 900_000 };

/** A cause without a row here does not compile. */
const UNANSWERED: Record<UnansweredCause, true> = {
  forbidden_address: true,
  dns_not_found: true,
  dns_failed: true,
  connect_refused: true,
  host_unreachable: true,
  connection_lost: true,
  timeout: true,
  tls_expired: true,
  tls_wrong_host: true,
  tls_untrusted: true,
  tls_failed: true,
  headers_too_large: true,
  malformed_response: true,
  invalid_request: true,
};
const CAUSES = Object.keys(UNANSWERED) as UnansweredCause[];
const TIMEOUT: Outcome = { kind: "unanswered", cause: "timeout", detail: "" };

function answered(status: number, body = "", retryAfter?: string, date?: string): OutboundResult {
  return { kind: "answered", status, retryAfter, date, body: Buffer.from(body) };
}

describe("attempt outcome", () => {
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
    it(`HTTP 200 with ${JSON.stringify(body)} is delivered, acknowledged: ${acknowledged}`, () => {
      assert.deepEqual(outcomeOf(answered(200, body), false, NOW), {
        kind: "delivered",
        status: 200,
        acknowledged,
      });
      const strict = outcomeOf(answered(200, body), true, NOW);
      assert.equal(strict.kind, acknowledged ? "delivered" : "unacknowledged");
    });
  }

  it("an attempt is delivered at HTTP 200 and at no other status, whatever the body says", () => {
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
    ["Sunday, 01-Mar-26 12:00:30 GMT", 30_000],
    ["Sun Mar  1 12:00:30 2026 GMT", 30_000],
    ["2026-03-01T12:00:30Z", 30_000],
    ["soon", undefined],
    ["", undefined],
    ["-5", undefined],
    ["1.5", undefined],
    ["1e9", undefined],
    ["0x10", undefined],
    ["try again in 2099", undefined],
    ["Sun, 99 Foo 2026 99:99:99 GMT", undefined],
  ];
  for (const [header, expectedMs] of waits) {
    it(`Retry-After: ${header.slice(0, 40)} is read as ${expectedMs} ms`, () => {
      const outcome = outcomeOf(answered(503, "", header), false, NOW);
      assert.deepEqual(outcome, { kind: "refused", status: 503, retryAfterMs: expectedMs });
    });
  }

  it("a Retry-After date is read by the receiver's own clock, even days off", () => {
    for (const days of [-3, 0, 3, 400]) {
      const theirs = (ms: number) => new Date(NOW.getTime() + days * 24 * HOUR_MS + ms).toUTCString();
      const outcome = outcomeOf(answered(503, "", theirs(30_000), theirs(0)), false, NOW);
      assert.deepEqual(outcome, { kind: "refused", status: 503, retryAfterMs: 30_000 }, `${days} days off`);
    }
    const without = outcomeOf(answered(503, "", "Sun, 01 Mar 2026 12:00:30 GMT", "whenever"), false, NOW);
    assert.deepEqual(without, { kind: "refused", status: 503, retryAfterMs: 30_000 });
  });

  it("every header and body gives an outcome without a throw, with a bounded delay", () => {
    const header = fc.option(fc.oneof(fc.string(), fc.integer().map(String), fc.date().map(String)), {
      nil: undefined,
    });
    fc.assert(
      fc.property(header, fc.uint8Array(), fc.boolean(), (retryAfter, body, strict) => {
        const result: OutboundResult = {
          kind: "answered",
          status: 429,
          retryAfter,
          date: retryAfter,
          body: Buffer.from(body),
        };
        const outcome = outcomeOf(result, strict, NOW);
        assert.ok(outcome.kind === "refused");
        const waitMs = outcome.retryAfterMs ?? 0;
        assert.ok(waitMs >= 0 && waitMs <= HOUR_MS, `${retryAfter} gave ${waitMs}`);
      }),
    );
  });

  it("every failed outcome has a cause, and a delivery has none", () => {
    assert.equal(causeOf({ kind: "delivered", status: 200, acknowledged: true }), undefined);
    const failures: Outcome[] = [
      { kind: "refused", status: 500, retryAfterMs: undefined },
      { kind: "unacknowledged", status: 200 },
      { kind: "no_destination" },
      { kind: "unreadable_secret" },
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

/** Failures after which the same message is tried again. */
const retried = fc.oneof(
  fc.record({
    kind: fc.constant("refused" as const),
    status: fc.integer({ min: 100, max: 599 }).filter((status) => status !== 410),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: HOUR_MS }), { nil: undefined }),
  }),
  fc.record({ kind: fc.constant("unacknowledged" as const), status: fc.constant(200 as const) }),
  fc.record({
    kind: fc.constant("unanswered" as const),
    cause: fc.constantFrom(...CAUSES.filter((cause) => cause !== "invalid_request")),
    detail: fc.string(),
  }),
);
const jitters = fc.double({ min: 0, max: 1, noNaN: true });
const facts = { number: 1, blockedForMs: 0, jitter: 0 };

describe("next step after an attempt", () => {
  it("a delivered message is finished, and one without a destination or a valid request is given up", () => {
    const delivered: Outcome = { kind: "delivered", status: 200, acknowledged: false };
    assert.deepEqual(nextStep(delivered, facts, POLICY), { do: "finish" });
    const nowhere = nextStep({ kind: "no_destination" }, facts, POLICY);
    assert.deepEqual(nowhere, { do: "give_up", cause: "no_destination" });
    const unsendable: Outcome = { kind: "unanswered", cause: "invalid_request", detail: "" };
    assert.deepEqual(nextStep(unsendable, facts, POLICY), { do: "give_up", cause: "invalid_request" });
  });

  it("only 410 disables a destination, however late it comes", () => {
    for (const blockedForMs of [0, HOUR_MS]) {
      const gone: Outcome = { kind: "refused", status: 410, retryAfterMs: 5_000 };
      assert.deepEqual(nextStep(gone, { ...facts, blockedForMs }, POLICY), { do: "disable_destination" });
    }
    fc.assert(
      fc.property(retried, (outcome) => {
        assert.equal(nextStep(outcome, facts, POLICY).do, "retry");
      }),
    );
  });

  it("the n-th failure waits for the n-th delay, and later ones for the last", () => {
    const steps = [1, 2, 3, 4, 50].map((number) => nextStep(TIMEOUT, { ...facts, number }, POLICY));
    assert.deepEqual(
      steps,
      [1_000, 3_000, 10_000, 10_000, 10_000].map((inMs) => ({ do: "retry", inMs })),
    );
  });

  it("a retry comes no sooner than Retry-After and its own delay, and at most a fifth later", () => {
    const delays = fc.array(fc.integer({ min: 1_000, max: HOUR_MS }), { minLength: 1, maxLength: 8 });
    const blocked = fc.integer({ min: 0, max: HOUR_MS });
    fc.assert(
      fc.property(
        retried,
        fc.integer({ min: 1, max: 100 }),
        delays,
        jitters,
        blocked,
        (outcome, number, delaysMs, jitter, blockedForMs) => {
          const policy = { delaysMs, blockedMaxMs: 900_000 };
          const step = nextStep(outcome, { number, blockedForMs, jitter }, policy);
          const leftMs = policy.blockedMaxMs - blockedForMs;
          if (leftMs <= 0) return assert.equal(step.do, "give_up");
          assert.ok(step.do === "retry");
          const ownMs = delaysMs[Math.min(number, delaysMs.length) - 1] ?? assert.fail();
          const askedMs = outcome.kind === "refused" ? (outcome.retryAfterMs ?? 0) : 0;
          assert.ok(step.inMs >= askedMs);
          assert.ok(step.inMs >= Math.min(ownMs, leftMs));
          assert.ok(step.inMs <= Math.max(Math.ceil(1.2 * ownMs), askedMs));
          assert.ok(step.inMs <= Math.max(leftMs, askedMs, 1_000));
          assert.ok(Number.isInteger(step.inMs));
        },
      ),
    );
  });

  it("a message is given up with its cause when its time is over", () => {
    const over = { ...facts, blockedForMs: POLICY.blockedMaxMs };
    assert.deepEqual(nextStep(TIMEOUT, over, POLICY), { do: "give_up", cause: "timeout" });
    const broken: Outcome = { kind: "refused", status: 500, retryAfterMs: undefined };
    assert.deepEqual(nextStep(broken, over, POLICY), { do: "give_up", cause: "http_status" });
  });

  it("jitter spreads the retries of messages that failed together", () => {
    const [least, most] = [0, 1].map((jitter) => nextStep(TIMEOUT, { ...facts, number: 3, jitter }, POLICY));
    assert.deepEqual(
      [least, most],
      [
        { do: "retry", inMs: 10_000 },
        { do: "retry", inMs: 12_000 },
      ],
    );
  });
});

describe("destination liveness", () => {
  it("a destination is alive if it answers anything but 429 and 5xx", () => {
    for (let status = 100; status < 600; status += 1) {
      const outcome: Outcome = { kind: "refused", status, retryAfterMs: undefined };
      assert.equal(isAlive(outcome), status !== 429 && status < 500, String(status));
    }
    assert.equal(isAlive({ kind: "delivered", status: 200, acknowledged: false }), true);
    assert.equal(isAlive({ kind: "unacknowledged", status: 200 }), true);
    for (const cause of CAUSES)
      assert.equal(isAlive({ kind: "unanswered", cause, detail: "" }), false, cause);
  });
});

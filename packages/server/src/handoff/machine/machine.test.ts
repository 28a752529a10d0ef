import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fc from "fast-check";
import { timerLengths, DEFAULT_SETTINGS } from "../settings/agent-settings.ts";
import {
  begin,
  isOpen,
  transition,
  type Effect,
  type Handoff,
  type HandoffEvent,
  type Step,
} from "./machine.ts";
import type { Timer } from "./timers.ts";

const LENGTHS = timerLengths(DEFAULT_SETTINGS);
const AT = 1_000_000;
const MARKS = { forwardedSeq: 5, acknowledgedSeq: 4, repliedSeq: 3 };
const MINUTE_MS = 60_000;

const timer = (kind: Timer["kind"], changes: Partial<Timer> = {}): Timer => ({
  kind,
  setAt: AT,
  dueAt: AT + LENGTHS[kind].lengthMs,
  warnings: 0,
  graced: false,
  ...changes,
});

/** Each state, and each kind of timer that can run in it. */
const STATES: Handoff[] = [
  begin(5),
  { state: "connecting", marks: MARKS, timer: timer("first_reply") },
  { state: "active", marks: MARKS, timer: timer("user_idle") },
  { state: "active", marks: MARKS, timer: timer("human_idle") },
  { state: "busy", reason: "refused" },
  { state: "closed", reason: "human_closed" },
];

/** Each event, and each form of it that makes a difference. A new kind of event does not compile without one. */
const EVENTS: {
  [Kind in HandoffEvent["kind"]]: ((handoff: Handoff) => Extract<HandoffEvent, { kind: Kind }>)[];
} = {
  establish_accepted: [() => ({ kind: "establish_accepted", at: AT })],
  establish_refused: [true, false].map((uncertain) => () => ({
    kind: "establish_refused",
    at: AT,
    uncertain,
  })),
  user_wrote: [() => ({ kind: "user_wrote", at: AT })],
  chat_delivered: [() => ({ kind: "chat_delivered", at: AT, seq: 6 })],
  chat_given_up: [() => ({ kind: "chat_given_up", at: AT })],
  human_replied: [() => ({ kind: "human_replied", at: AT, seq: 6 })],
  human_closed: [() => ({ kind: "human_closed", at: AT })],
  user_closed: [() => ({ kind: "user_closed", at: AT })],
  desk_removed: [() => ({ kind: "desk_removed", at: AT })],
  webhook_removed: [() => ({ kind: "webhook_removed", at: AT })],
  looked: [-2_000, 0].map((byMs) => (handoff) => ({
    kind: "looked",
    at: ("timer" in handoff ? handoff.timer.dueAt : AT) + byMs,
  })),
};

function movedBy(handoff: Handoff, event: HandoffEvent): Extract<Step, { kind: "moved" }> {
  const step = transition(handoff, event, LENGTHS);
  return step.kind === "moved" ? step : assert.fail(`${handoff.state} does not move by ${event.kind}`);
}
const did = ({ effects }: { effects: readonly Effect[] }) =>
  effects.map((effect) =>
    effect.do === "notify_user"
      ? `tell ${effect.notice}`
      : effect.do === "close_desk"
        ? `close ${effect.type}`
        : effect.do === "return_control"
          ? `return after ${effect.answerAfterSeq}`
          : effect.do,
  );
const [REQUESTED, CONNECTING, ACTIVE, WAITING] = STATES as [Handoff, Handoff, Handoff, Handoff];

describe("handoff state machine", () => {
  it("a handoff moves between states exactly as the diagram in docs/explanation/handoff.md says", () => {
    const drawn = readFileSync(new URL("../../../../../docs/explanation/handoff.md", import.meta.url), "utf8")
      .split("\n")
      .flatMap((line) => /^ +(\w+) --> (\w+): (\w+)$/.exec(line)?.slice(1).join(" ") ?? []);
    const real = new Set<string>();
    for (const handoff of STATES) {
      for (const event of Object.values(EVENTS).flat()) {
        const given = event(handoff);
        const step = transition(handoff, given, LENGTHS);
        if (step.kind === "moved" && step.handoff.state !== handoff.state)
          real.add(`${handoff.state} ${step.handoff.state} ${given.kind}`);
      }
    }
    assert.deepEqual([...drawn].toSorted(), [...real].toSorted());
  });

  it("a handoff that has ended never moves again and refuses what a human writes", () => {
    for (const handoff of STATES.filter((one) => !isOpen(one))) {
      for (const event of Object.values(EVENTS).flat()) {
        const given = event(handoff);
        const { kind } = transition(handoff, given, LENGTHS);
        assert.equal(kind, given.kind === "human_replied" ? "refused" : "nothing", given.kind);
      }
    }
  });

  it("a handoff returns control exactly when it ends, after at most one close to the desk", () => {
    for (const handoff of STATES.filter(isOpen)) {
      for (const event of Object.values(EVENTS).flat()) {
        const step = transition(handoff, event(handoff), LENGTHS);
        if (step.kind !== "moved") continue;
        const effects = step.effects.map((effect) => effect.do);
        const returns = effects.filter((effect) => effect === "return_control").length;
        assert.equal(returns, isOpen(step.handoff) ? 0 : 1, JSON.stringify(step));
        assert.ok(
          effects.filter((effect) => effect === "close_desk").length <= (isOpen(step.handoff) ? 0 : 1),
        );
        if (returns === 1) assert.equal(effects.at(-1), "return_control");
      }
    }
  });

  it("the desk is sent a close unless it ended the handoff or is gone, as TIMEOUT unless the user ended it", () => {
    const closes = (handoff: Handoff, event: HandoffEvent) =>
      did(movedBy(handoff, event)).filter((effect) => effect.startsWith("close"));
    for (const handoff of [REQUESTED, CONNECTING, ACTIVE]) {
      assert.deepEqual(closes(handoff, { kind: "user_closed", at: AT }), ["close USER_CLOSED"]);
      assert.deepEqual(closes(handoff, { kind: "human_closed", at: AT }), []);
      assert.deepEqual(closes(handoff, { kind: "desk_removed", at: AT }), []);
    }
    for (const uncertain of [true, false])
      assert.deepEqual(
        closes(REQUESTED, { kind: "establish_refused", at: AT, uncertain }),
        uncertain ? ["close TIMEOUT"] : [],
      );
    assert.deepEqual(closes(ACTIVE, { kind: "chat_given_up", at: AT }), ["close TIMEOUT"]);
  });

  it("the agent answers what the desk did not receive, and nothing once the user has left", () => {
    const returns = (handoff: Handoff, event: HandoffEvent) => did(movedBy(handoff, event)).at(-1);
    // No desk has heard of a refused request.
    assert.equal(
      returns(REQUESTED, { kind: "establish_refused", at: AT, uncertain: true }),
      "return after 0",
    );
    // Who closes it has read it.
    assert.equal(returns(REQUESTED, { kind: "human_closed", at: AT }), "return after 5");
    assert.equal(returns(ACTIVE, { kind: "human_closed", at: AT }), "return after 4");
    assert.equal(returns(ACTIVE, { kind: "user_closed", at: AT }), "return after nothing");
  });

  it("a handoff becomes active with the human's first reply, even before the desk acknowledged the request", () => {
    const { handoff, effects } = movedBy(REQUESTED, { kind: "human_replied", at: AT, seq: 6 });
    assert.equal(handoff.state, "active");
    assert.deepEqual(did({ effects }), ["forward_held"]);
    for (const event of [...EVENTS.establish_accepted, ...EVENTS.establish_refused])
      assert.equal(transition(handoff, event(handoff), LENGTHS).kind, "nothing");
  });

  it("the human's timer runs from the delivery of the first unanswered message", () => {
    const delivered = movedBy(ACTIVE, { kind: "chat_delivered", at: AT + 5, seq: 6 }).handoff;
    assert.deepEqual(
      "timer" in delivered && delivered.timer,
      timer("human_idle", { setAt: AT + 5, dueAt: AT + 5 + 10 * MINUTE_MS }),
    );
    const again = movedBy(delivered, { kind: "chat_delivered", at: AT + 9, seq: 7 }).handoff;
    assert.deepEqual("timer" in again && again.timer, "timer" in delivered && delivered.timer);
    const replied = movedBy(again, { kind: "human_replied", at: AT + 11, seq: 8 }).handoff;
    assert.deepEqual(
      "timer" in replied && replied.timer,
      timer("user_idle", { setAt: AT + 11, dueAt: AT + 11 + 30 * MINUTE_MS }),
    );
    // A chat answered before its delivery was recorded waits for nobody.
    const late = movedBy(replied, { kind: "chat_delivered", at: AT + 12, seq: 7 }).handoff;
    assert.equal("timer" in late && late.timer.kind, "user_idle");
  });

  it("the default timers are 5, 10 and 30 minutes, each with its notices", () => {
    assert.deepEqual(DEFAULT_SETTINGS.timers, {
      first_reply: { seconds: 300, warn_seconds: [240, 60] },
      human_idle: { seconds: 600, warn_seconds: 60 },
      user_idle: { seconds: 1_800, warn_seconds: 120 },
    });
    const due = (handoff: Handoff) => ("timer" in handoff ? handoff.timer.dueAt - AT : undefined);
    const connecting = movedBy(REQUESTED, { kind: "establish_accepted", at: AT }).handoff;
    assert.equal(due(connecting), 5 * MINUTE_MS);
    const active = movedBy(connecting, { kind: "human_replied", at: AT, seq: 6 }).handoff;
    assert.equal(due(active), 30 * MINUTE_MS);
    const waiting = movedBy(active, { kind: "chat_delivered", at: AT, seq: 7 }).handoff;
    assert.equal(due(waiting), 10 * MINUTE_MS);
  });

  it("a timer sends its warnings before it fires, then fires when due", () => {
    for (const [handoff, kind] of [
      [CONNECTING, "first_reply"],
      [ACTIVE, "user_idle"],
      [WAITING, "human_idle"],
    ] as const) {
      const { lengthMs, warnMs } = LENGTHS[kind];
      const look = (from: Handoff, at: number) => transition(from, { kind: "looked", at }, LENGTHS);
      let warned: Handoff = handoff;
      for (const warn of warnMs) {
        assert.equal(look(warned, AT + lengthMs - warn - 1).kind, "nothing");
        const step = movedBy(warned, { kind: "looked", at: AT + lengthMs - warn });
        assert.deepEqual(did(step), [`tell ${kind}_warning`]);
        warned = step.handoff;
      }
      assert.equal(look(warned, AT + lengthMs - 1).kind, "nothing");
      // Who looks late tells the user once, not once for each notice that was missed.
      const late = movedBy(handoff, { kind: "looked", at: AT + lengthMs - 1 });
      assert.deepEqual(late.handoff, warned);
      const fired = movedBy(warned, { kind: "looked", at: AT + lengthMs });
      assert.deepEqual(fired.handoff, { state: "closed", reason: kind });
      assert.deepEqual(did(fired), ["close TIMEOUT", `tell ${kind}_timeout`, "return after 4"]);
    }
  });

  it("a timer missed because nobody looked is extended once", () => {
    const due = AT + LENGTHS.human_idle.lengthMs;
    const missed = movedBy(WAITING, { kind: "looked", at: due + 3_600_000 });
    assert.deepEqual(did(missed), []);
    assert.ok(isOpen(missed.handoff));
    const again = movedBy(missed.handoff, { kind: "looked", at: due + 7_200_000 });
    assert.deepEqual(again.handoff, { state: "closed", reason: "human_idle" });
  });

  it("a timer set before the clock was set back runs for its length from now", () => {
    const HOUR_MS = 3_600_000;
    const at = AT - HOUR_MS;
    const { handoff, effects } = movedBy(WAITING, { kind: "looked", at });
    assert.deepEqual(effects, []);
    const dueAt = at + LENGTHS.human_idle.lengthMs;
    assert.deepEqual("timer" in handoff && handoff.timer, timer("human_idle", { setAt: at, dueAt }));
    assert.ok(isOpen(movedBy(handoff, { kind: "looked", at: dueAt - 1 }).handoff));
    assert.deepEqual(movedBy(handoff, { kind: "looked", at: dueAt }).handoff, {
      state: "closed",
      reason: "human_idle",
    });
    // A transaction that waited for its lock comes with an older time, and takes nothing away.
    assert.equal(transition(WAITING, { kind: "looked", at: AT - 2_000 }, LENGTHS).kind, "nothing");
  });

  it("a handoff ends at most once, whatever events come in whatever order", () => {
    const kinds = Object.values(EVENTS).flat();
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 40 * MINUTE_MS })), { maxLength: 40 }),
        (steps) => {
          let handoff: Handoff = begin(5);
          let at = AT;
          let ends = 0;
          let closes = 0;
          for (const [pick, passed] of steps) {
            at += passed;
            const make = kinds[pick % kinds.length];
            const step = transition(handoff, { ...make!(handoff), at }, LENGTHS);
            if (step.kind !== "moved") continue;
            ({ handoff } = step);
            ends += step.effects.filter((effect) => effect.do === "return_control").length;
            closes += step.effects.filter((effect) => effect.do === "close_desk").length;
          }
          assert.equal(ends, isOpen(handoff) ? 0 : 1);
          assert.ok(closes <= 1);
        },
      ),
    );
  });
});

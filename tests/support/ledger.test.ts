import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ALWAYS, CLEAN, judge } from "./ledger.ts";
import type { Accepted, Received } from "./ledger.ts";

const KEYS = ["one", "two", "three", "four"];

function accept(conversationId = "c", keys = KEYS): Accepted[] {
  return keys.map((key) => ({ conversationId, key }));
}

let clock = 0;
function arrive(key: string, changes: Partial<Received> = {}): Received {
  clock += 2;
  const sequence = KEYS.indexOf(key) + 1;
  return {
    conversationId: "c",
    key,
    webhookId: `id-${key}`,
    sequence,
    bodyHash: `hash-${key}`,
    attempt: 1,
    arrivedAt: clock,
    answer: { at: clock + 1, acknowledged: true },
    ...changes,
  };
}

/** Refused, or cut off, before anything else happened. */
function refused(key: string, changes: Partial<Received> = {}): Received {
  const arrival = arrive(key, changes);
  return { ...arrival, answer: { at: arrival.arrivedAt + 1, acknowledged: false } };
}

describe("judge", () => {
  it("finds nothing wrong when all arrive once, in order", () => {
    assert.deepEqual(judge({ accepted: accept(), received: KEYS.map((key) => arrive(key)) }), CLEAN);
  });

  it("judges by time of arrival, not by place in the list", () => {
    const received = KEYS.map((key) => arrive(key)).toReversed();
    assert.deepEqual(judge({ accepted: accept(), received }), CLEAN);
  });

  it("does not compare one conversation's order with another's", () => {
    const accepted = [...accept("a"), ...accept("b")];
    const received = KEYS.flatMap((key) => [
      arrive(key, { conversationId: "b", webhookId: `b-${key}`, bodyHash: `b-${key}` }),
      arrive(key, { conversationId: "a", webhookId: `a-${key}`, bodyHash: `a-${key}` }),
    ]);
    assert.deepEqual(judge({ accepted, received }), CLEAN);
  });

  it("reports what was accepted and never came as lost", () => {
    const verdict = judge({
      accepted: accept(),
      received: ["one", "two", "three"].map((key) => arrive(key)),
    });
    assert.deepEqual(verdict, { ...CLEAN, lost: [{ conversationId: "c", key: "four" }] });
  });

  it("does not take another conversation's message of the same key for the lost one", () => {
    const received = KEYS.map((key) => arrive(key, { conversationId: "other" }));
    const verdict = judge({ accepted: accept(), received });
    assert.equal(verdict.lost.length, 4);
    assert.equal(verdict.phantoms.length, 4);
  });

  it("reports a gap in the sequence once, at the message that jumped it", () => {
    const verdict = judge({
      accepted: accept(),
      received: ["one", "three", "four"].map((key) => arrive(key)),
    });
    assert.deepEqual(verdict.lost, [{ conversationId: "c", key: "two" }]);
    assert.deepEqual(
      verdict.reordered.map(({ key, reason }) => [key, reason]),
      [["three", "sequence 3 came where 2 was due"]],
    );
  });

  it("reports two first deliveries that changed places", () => {
    const verdict = judge({
      accepted: accept(),
      received: ["one", "three", "two", "four"].map((key) => arrive(key)),
    });
    assert.deepEqual(
      verdict.reordered.map(({ key }) => key),
      ["three", "two"],
    );
  });

  it("reports a conversation that does not start at 1, and a sequence that is missing", () => {
    const late = KEYS.map((key, at) => arrive(key, { sequence: at + 2 }));
    assert.deepEqual(
      judge({ accepted: accept(), received: late }).reordered.map(({ key }) => key),
      ["one"],
    );
    const bare = [arrive("one", { sequence: Number.NaN })];
    assert.equal(judge({ accepted: accept("c", ["one"]), received: bare }).reordered.length, 1);
  });

  it("reports sequences in order that contradict the order of acceptance", () => {
    const received = ["two", "one", "three", "four"].map((key, at) => arrive(key, { sequence: at + 1 }));
    assert.deepEqual(
      judge({ accepted: accept(), received }).reordered.map(({ key, reason }) => [key, reason]),
      [["one", "came after a message that was accepted later"]],
    );
  });

  it("reports a message that was sent before the one before it was taken", () => {
    const [one, two, three, four] = KEYS.map((key) => arrive(key));
    assert.ok(one && two && three && four);
    const early = [one, { ...two, answer: { at: three.arrivedAt + 1, acknowledged: true } }, three, four];
    assert.deepEqual(
      judge({ accepted: accept(), received: early }).reordered.map(({ key, reason }) => [key, reason]),
      [["three", "was sent before 2 was taken"]],
    );
    const refusedFirst = [refused("one"), ...["two", "one", "three", "four"].map((key) => arrive(key))];
    assert.deepEqual(
      judge({ accepted: accept(), received: refusedFirst }).reordered.map(({ key }) => key),
      ["two"],
    );
  });

  it("reports what the developer refused and never got again as lost", () => {
    const received = [...["one", "two", "three"].map((key) => arrive(key)), refused("four")];
    const four = { conversationId: "c", key: "four" };
    assert.deepEqual(judge({ accepted: accept(), received }), { ...CLEAN, lost: [four] });
  });

  it("reports what the service still owes as stuck, and not as lost", () => {
    const received = ["one", "two", "three"].map((key) => arrive(key));
    const four = { conversationId: "c", key: "four" };
    assert.deepEqual(judge({ accepted: accept(), received, waiting: [four] }), { ...CLEAN, stuck: [four] });
  });

  it("lets what was given up visibly stay away, and leave a gap or not", () => {
    const deadLetters = [{ conversationId: "c", key: "two", sequence: 2 }];
    const withGap = ["one", "three", "four"].map((key) => arrive(key));
    assert.deepEqual(judge({ accepted: accept(), received: withGap, deadLetters }), CLEAN);
    const tried = [arrive("one"), refused("two"), refused("two"), arrive("three"), arrive("four")];
    assert.deepEqual(judge({ accepted: accept(), received: tried, deadLetters }), CLEAN);
    assert.deepEqual(
      judge({ accepted: accept(), received: tried }).lost.map(({ key }) => key),
      ["two"],
    );
  });

  it("lists repeats that nobody asked for as duplicates and nothing else, however late they come", () => {
    const received = ["one", "two", "one", "three", "four", "two"].map((key) => arrive(key));
    const duplicates = [received[2], received[5]];
    const verdict = judge({ accepted: accept(), received, faults: [ALWAYS] });
    assert.deepEqual(verdict, { ...CLEAN, duplicates });
    assert.deepEqual(judge({ accepted: accept(), received }), {
      ...CLEAN,
      duplicates,
      duplicatesWithoutFault: duplicates,
    });
  });

  it("explains a duplicate only by a fault between the first copy and the second", () => {
    const received = ["one", "two", "three", "four", "two"].map((key) => arrive(key));
    const [, two, three, , again] = received;
    assert.ok(two && three && again);
    const unexplained = (from: number, until: number) =>
      judge({ accepted: accept(), received, faults: [{ from, until }] }).duplicatesWithoutFault;
    assert.deepEqual(unexplained(three.arrivedAt, three.arrivedAt), []);
    assert.deepEqual(unexplained(two.arrivedAt - 5, two.arrivedAt - 1), [again]);
    assert.deepEqual(unexplained(again.arrivedAt + 1, again.arrivedAt + 5), [again]);
  });

  it("counts no repeat of a refused message, and each of one that is still on its way", () => {
    const retried = [refused("one"), ...KEYS.map((key) => arrive(key))];
    assert.deepEqual(judge({ accepted: accept(), received: retried }), CLEAN);
    const hanging = [arrive("one", { answer: undefined }), ...KEYS.map((key) => arrive(key))];
    assert.deepEqual(judge({ accepted: accept(), received: hanging }).duplicatesWithoutFault, [hanging[1]]);
  });

  it("reports a repeat with the same id and another body", () => {
    const repeat = [...KEYS.map((key) => arrive(key)), arrive("two", { bodyHash: "changed" })];
    const verdict = judge({ accepted: accept(), received: repeat, faults: [ALWAYS] });
    assert.deepEqual(verdict, { ...CLEAN, duplicates: [repeat[4]], repeatsWithOtherBody: [repeat[4]] });
  });

  it("reports an id used again for another message", () => {
    const received = KEYS.map((key) => arrive(key, key === "four" ? { webhookId: "id-one" } : {}));
    const verdict = judge({ accepted: accept(), received });
    assert.deepEqual(verdict.repeatsWithOtherBody, [received[3]]);
    assert.deepEqual(verdict.repeatsWithOtherId, [received[3]]);
  });

  it("reports a repeat with another id", () => {
    const received = [...KEYS.map((key) => arrive(key)), arrive("two", { webhookId: "fresh" })];
    const verdict = judge({ accepted: accept(), received, faults: [ALWAYS] });
    assert.deepEqual(verdict, { ...CLEAN, duplicates: [received[4]], repeatsWithOtherId: [received[4]] });
  });

  it("reports a repeat that took another place in the sequence, and two messages in one place", () => {
    const moved = [...KEYS.map((key) => arrive(key)), arrive("four", { sequence: 5 })];
    assert.deepEqual(judge({ accepted: accept(), received: moved }).repeatsWithOtherId, [moved[4]]);
    const shared = KEYS.map((key) => arrive(key, key === "four" ? { sequence: 3 } : {}));
    assert.deepEqual(judge({ accepted: accept(), received: shared }).repeatsWithOtherId, [shared[3]]);
  });

  it("reports what came without having been accepted as phantoms", () => {
    const received = KEYS.map((key) => arrive(key));
    const verdict = judge({ accepted: accept("c", ["one", "two", "three"]), received });
    assert.deepEqual(verdict, { ...CLEAN, phantoms: [received[3]] });
  });

  it("lets an unanswered call's message come or stay away", () => {
    const unanswered = [{ conversationId: "c", key: "four" }];
    const accepted = accept("c", ["one", "two", "three"]);
    assert.deepEqual(judge({ accepted, unanswered, received: KEYS.map((key) => arrive(key)) }), CLEAN);
    const without = ["one", "two", "three"].map((key) => arrive(key));
    assert.deepEqual(judge({ accepted, unanswered, received: without }), CLEAN);
  });

  it("refuses keys that do not tell messages apart", () => {
    assert.throws(() => judge({ accepted: accept("c", ["one", "one"]), received: [] }), /unique keys/);
  });
});

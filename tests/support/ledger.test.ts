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
  it("judge finds nothing wrong when all messages arrive once, in order", () => {
    assert.deepEqual(judge({ accepted: accept(), received: KEYS.map((key) => arrive(key)) }), CLEAN);
  });

  it("judge orders by time of arrival, not by place in the list", () => {
    const received = KEYS.map((key) => arrive(key)).toReversed();
    assert.deepEqual(judge({ accepted: accept(), received }), CLEAN);
  });

  it("judge does not compare the order of different conversations", () => {
    const accepted = [...accept("a"), ...accept("b")];
    const received = KEYS.flatMap((key) => [
      arrive(key, { conversationId: "b", webhookId: `b-${key}`, bodyHash: `b-${key}` }),
      arrive(key, { conversationId: "a", webhookId: `a-${key}`, bodyHash: `a-${key}` }),
    ]);
    assert.deepEqual(judge({ accepted, received }), CLEAN);
  });

  it("judge reports an accepted message that never came as lost", () => {
    const verdict = judge({
      accepted: accept(),
      received: ["one", "two", "three"].map((key) => arrive(key)),
    });
    assert.deepEqual(verdict, { ...CLEAN, lost: [{ conversationId: "c", key: "four" }] });
  });

  it("judge does not take another conversation's message of the same key for the lost one", () => {
    const received = KEYS.map((key) => arrive(key, { conversationId: "other" }));
    const verdict = judge({ accepted: accept(), received });
    assert.equal(verdict.lost.length, 4);
    assert.equal(verdict.phantoms.length, 4);
  });

  it("judge reports a gap in the sequence once, at the message that jumped it", () => {
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

  it("judge reports two first deliveries that changed places", () => {
    const verdict = judge({
      accepted: accept(),
      received: ["one", "three", "two", "four"].map((key) => arrive(key)),
    });
    assert.deepEqual(
      verdict.reordered.map(({ key }) => key),
      ["three", "two"],
    );
  });

  it("judge reports a conversation that does not start at 1, and a missing sequence", () => {
    const late = KEYS.map((key, at) => arrive(key, { sequence: at + 2 }));
    assert.deepEqual(
      judge({ accepted: accept(), received: late }).reordered.map(({ key }) => key),
      ["one"],
    );
    const bare = [arrive("one", { sequence: Number.NaN })];
    assert.equal(judge({ accepted: accept("c", ["one"]), received: bare }).reordered.length, 1);
  });

  it("judge reports a sequence that contradicts the order of acceptance", () => {
    const received = ["two", "one", "three", "four"].map((key, at) => arrive(key, { sequence: at + 1 }));
    assert.deepEqual(
      judge({ accepted: accept(), received }).reordered.map(({ key, reason }) => [key, reason]),
      [["one", "came after a message that was accepted later"]],
    );
  });

  it("judge reports a message sent before its predecessor was acknowledged", () => {
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

  it("judge reports a message that was refused and never sent again as lost", () => {
    const received = [...["one", "two", "three"].map((key) => arrive(key)), refused("four")];
    const four = { conversationId: "c", key: "four" };
    assert.deepEqual(judge({ accepted: accept(), received }), { ...CLEAN, lost: [four] });
  });

  it("judge reports a message the service still owes as stuck, not as lost", () => {
    const received = ["one", "two", "three"].map((key) => arrive(key));
    const four = { conversationId: "c", key: "four" };
    assert.deepEqual(judge({ accepted: accept(), received, waiting: [four] }), { ...CLEAN, stuck: [four] });
  });

  it("judge accepts a missing dead letter, with a gap or without", () => {
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

  it("judge lists unexplained repeats as duplicates and nothing else, however late", () => {
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

  it("judge explains a duplicate only by a fault between its two copies", () => {
    const received = ["one", "two", "three", "four", "two"].map((key) => arrive(key));
    const [, two, three, , again] = received;
    assert.ok(two && three && again);
    const unexplained = (from: number, until: number) =>
      judge({ accepted: accept(), received, faults: [{ from, until }] }).duplicatesWithoutFault;
    assert.deepEqual(unexplained(three.arrivedAt, three.arrivedAt), []);
    assert.deepEqual(unexplained(two.arrivedAt - 5, two.arrivedAt - 1), [again]);
    assert.deepEqual(unexplained(again.arrivedAt + 1, again.arrivedAt + 5), [again]);
  });

  it("judge counts no repeat of a refused message, and each of one still in flight", () => {
    const retried = [refused("one"), ...KEYS.map((key) => arrive(key))];
    assert.deepEqual(judge({ accepted: accept(), received: retried }), CLEAN);
    const hanging = [arrive("one", { answer: undefined }), ...KEYS.map((key) => arrive(key))];
    assert.deepEqual(judge({ accepted: accept(), received: hanging }).duplicatesWithoutFault, [hanging[1]]);
  });

  it("judge reports a repeat with the same id and another body", () => {
    const repeat = [...KEYS.map((key) => arrive(key)), arrive("two", { bodyHash: "changed" })];
    const verdict = judge({ accepted: accept(), received: repeat, faults: [ALWAYS] });
    assert.deepEqual(verdict, { ...CLEAN, duplicates: [repeat[4]], repeatsWithOtherBody: [repeat[4]] });
  });

  it("judge reports an id used again for another message", () => {
    const received = KEYS.map((key) => arrive(key, key === "four" ? { webhookId: "id-one" } : {}));
    const verdict = judge({ accepted: accept(), received });
    assert.deepEqual(verdict.repeatsWithOtherBody, [received[3]]);
    assert.deepEqual(verdict.repeatsWithOtherId, [received[3]]);
  });

  it("judge reports a repeat with another id", () => {
    const received = [...KEYS.map((key) => arrive(key)), arrive("two", { webhookId: "fresh" })];
    const verdict = judge({ accepted: accept(), received, faults: [ALWAYS] });
    assert.deepEqual(verdict, { ...CLEAN, duplicates: [received[4]], repeatsWithOtherId: [received[4]] });
  });

  it("judge reports a repeat at another place in the sequence, and two messages at one place", () => {
    const moved = [...KEYS.map((key) => arrive(key)), arrive("four", { sequence: 5 })];
    assert.deepEqual(judge({ accepted: accept(), received: moved }).repeatsWithOtherId, [moved[4]]);
    const shared = KEYS.map((key) => arrive(key, key === "four" ? { sequence: 3 } : {}));
    assert.deepEqual(judge({ accepted: accept(), received: shared }).repeatsWithOtherId, [shared[3]]);
  });

  it("judge reports a message that was not accepted as a phantom", () => {
    const received = KEYS.map((key) => arrive(key));
    const verdict = judge({ accepted: accept("c", ["one", "two", "three"]), received });
    assert.deepEqual(verdict, { ...CLEAN, phantoms: [received[3]] });
  });

  it("judge accepts that an unanswered call's message comes or not", () => {
    const unanswered = [{ conversationId: "c", key: "four" }];
    const accepted = accept("c", ["one", "two", "three"]);
    assert.deepEqual(judge({ accepted, unanswered, received: KEYS.map((key) => arrive(key)) }), CLEAN);
    const without = ["one", "two", "three"].map((key) => arrive(key));
    assert.deepEqual(judge({ accepted, unanswered, received: without }), CLEAN);
  });

  it("judge refuses keys that do not tell messages apart", () => {
    assert.throws(() => judge({ accepted: accept("c", ["one", "one"]), received: [] }), /unique keys/);
  });
});

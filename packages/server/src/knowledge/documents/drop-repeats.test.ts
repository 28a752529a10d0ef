import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dropRepeats } from "./drop-repeats.ts";
import type { StoredPair } from "./index-pairs.ts";

const pair = (question: string, answer: string, origin: StoredPair["origin"] = "model"): StoredPair => ({
  question,
  answer,
  alternates: [],
  origin,
});

const keptOf = (...pairs: StoredPair[]) => dropRepeats(pairs).pairs.map(({ answer }) => answer);

describe("pairs that a document says twice", () => {
  it("are kept once when they are the same, whoever made them", () => {
    const { pairs, duplicates } = dropRepeats([
      pair("Where?", "Here.", "faq"),
      pair("where ?", "Here.", "faq"),
      pair("Where?", "There.", "faq"),
    ]);
    assert.deepEqual([pairs.map(({ answer }) => answer), duplicates], [["Here.", "There."], 1]);
  });

  it("are kept once when a model only put them into other words, with the longer answer", () => {
    const short = pair("How do I reset the pump?", "Hold the red button for 5 seconds.");
    const long = pair("How can you reset your pump?", "Hold the red button for 5 seconds, then let go.");
    assert.deepEqual(keptOf(short, long), [long.answer]);
    assert.deepEqual(keptOf(long, short), [long.answer]);
  });

  it("are different pairs when a number or a word of weight differs", () => {
    const first = pair("Which screw holds cover 1?", "Screw number 100.");
    for (const other of [
      pair("Which screw holds cover 2?", "Screw number 200."),
      pair("Which screw holds cover 1?", "Screw number 101."),
      pair("Which screw holds the left cover 1?", "Screw number 100."),
      pair("Which screw holds cover 1?", "None, it is glued on with a strong adhesive, number 100."),
    ])
      assert.deepEqual(keptOf(first, other).length, 2, other.question);
  });

  it("are left alone when no model made them: what somebody wrote is theirs", () => {
    const written = [
      pair("How do I pay?", "By card, please.", "faq"),
      pair("How can I pay?", "By card please!", "faq"),
    ];
    assert.equal(keptOf(...written).length, 2);
  });
});

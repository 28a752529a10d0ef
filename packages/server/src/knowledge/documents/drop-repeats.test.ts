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

describe("duplicate pairs of a document", () => {
  it("identical pairs are kept once, whatever their origin", () => {
    const { pairs, duplicates } = dropRepeats([
      pair("Where?", "Here.", "faq"),
      pair("where ?", "Here.", "faq"),
      pair("Where?", "There.", "faq"),
    ]);
    assert.deepEqual([pairs.map(({ answer }) => answer), duplicates], [["Here.", "There."], 1]);
  });

  it("a repeated pair that has other alternates is kept, or they would be lost", () => {
    const { pairs, duplicates } = dropRepeats([
      pair("Where?", "Here.", "row"),
      { ...pair("Where?", "Here.", "row"), alternates: ["At what place?"] },
      { ...pair("Where?", "Here.", "row"), alternates: ["At what place?"] },
      pair("Where?", "Here.", "row"),
    ]);
    assert.deepEqual([pairs.map(({ alternates }) => alternates), duplicates], [[[], ["At what place?"]], 2]);
  });

  it("pairs that a model only rephrased are kept once, with the longer answer", () => {
    const short = pair("How do I reset the pump?", "Hold the red button for 5 seconds.");
    const long = pair("How can you reset your pump?", "Hold the red button for 5 seconds, then let go.");
    assert.deepEqual(keptOf(short, long), [long.answer]);
    assert.deepEqual(keptOf(long, short), [long.answer]);
  });

  it("pairs that differ in a number or a significant word are both kept", () => {
    const first = pair("Which screw holds cover 1?", "Screw number 100.");
    for (const other of [
      pair("Which screw holds cover 2?", "Screw number 200."),
      pair("Which screw holds cover 1?", "Screw number 101."),
      pair("Which screw holds the left cover 1?", "Screw number 100."),
      pair("Which screw holds cover 1?", "None, it is glued on with a strong adhesive, number 100."),
    ])
      assert.deepEqual(keptOf(first, other).length, 2, other.question);
  });

  it("similar pairs written by a person are all kept", () => {
    const written = [
      pair("How do I pay?", "By card, please.", "faq"),
      pair("How can I pay?", "By card please!", "faq"),
    ];
    assert.equal(keptOf(...written).length, 2);
  });
});

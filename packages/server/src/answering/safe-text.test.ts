import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { atMost } from "@signalbox/tests/support/machine.ts";
import { createSafeText, undecidedFrom } from "./safe-text.ts";

const KNOWN = new Set(["24", "50"]);

function told(pieces: string[]): string {
  let text = "";
  const hear = createSafeText(KNOWN, "NO_ANSWER", (more) => (text += more));
  for (const piece of pieces) hear(piece);
  return text;
}

/** As a model might cut it. */
const cut = (reply: string) =>
  fc
    .array(fc.nat(reply.length), { maxLength: 12 })
    .map((places) => [0, ...places.toSorted((a, b) => a - b), reply.length])
    .map((places) => places.slice(1).map((end, at) => reply.slice(places[at], end)));

describe("text that is told while a model still speaks", () => {
  it("is the reply without its citations, however it is cut, but for an end that is still open", () => {
    const reply = "It has 24 months [1]. Steps:\n1. Oil [2]\n2. Wait 50 days [1] [2], then call. Bye";
    const heard = "It has 24 months. Steps:\n1. Oil\n2. Wait 50 days, then call. Bye";
    fc.assert(
      fc.property(cut(reply), (pieces) => {
        assert.equal(told(pieces), heard);
      }),
    );
  });

  it("stops before a number that no source names, and says nothing more", () => {
    fc.assert(
      fc.property(cut("It has 24 months, or 36 with a receipt [1]."), (pieces) => {
        assert.doesNotMatch(told(pieces), /3|receipt/);
      }),
    );
  });

  it("is nothing where the reply is that there is no answer", () => {
    fc.assert(
      fc.property(cut("NO_ANSWER"), (pieces) => {
        assert.equal(told(pieces), "");
      }),
    );
  });

  it("checks a number that stands at the end of a word, and takes it for no number of a list", () => {
    fc.assert(
      fc.property(cut("Model X36. It is new."), (pieces) => {
        assert.doesNotMatch(told(pieces), /3|new/);
      }),
    );
  });

  it("stops at a number whose beginning is out of sight", () => {
    assert.equal(told(["It has 24", "0".repeat(80), " months"]), "It has");
  });

  it("costs next to nothing for digits, blanks and brackets, in whatever order and number", () => {
    const hostile = [
      "2024 2025 2026 2027 2028 2029 x",
      `${"1".repeat(26)}x`,
      "DE89370400440532013000 ",
      "[1",
    ];
    for (const pattern of [...hostile, " ", "\n", "1 ", "1.", "[", "[12]", "\u2028"]) {
      const text = `It has 24 months ${pattern.repeat(25_000 / pattern.length)}`;
      for (const size of [1, 7, text.length]) {
        const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
          text.slice(at * size, (at + 1) * size),
        );
        const begun = performance.now();
        told(pieces);
        atMost(performance.now() - begun, 1_000, `${pieces.length} pieces of ${JSON.stringify(pattern)}`);
      }
    }
  });
});

describe("the end of a reply that is still open", () => {
  it("is blanks, citations and numbers, as far as 64 characters back", () => {
    // Exponential in the length of its input, which is why it stands here only.
    const pattern = /(?:\s|\[\d{0,3}\]?|[\d０-９]+[.)]?)+$/u;
    const unit = fc.constantFrom("a", "1", "2", "３", " ", "\n", ".", ")", "[", "]");
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 12 }), (text) => {
        assert.equal(undecidedFrom(text), text.replace(pattern, "").length);
      }),
      { numRuns: 5_000 },
    );
    assert.equal(undecidedFrom(`a${" ".repeat(100)}`), 101 - 64);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createSafeText } from "./safe-text.ts";

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
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { atMost } from "@signalbox/tests/support/machine.ts";
import { createClaimCheck } from "./claim-check.ts";
import { createCitations, type Citations } from "./reply-text.ts";
import { createSafeText, hearSafely, undecidedFrom } from "./safe-text.ts";

const SOURCES = [
  { question: "How long is the warranty of the saw?", answer: "It has 24 months. Keep the receipt." },
  { question: "Which steps are there?", answer: "Oil it, wait 50 days, then call. https://saw.example/oil" },
];

function toldPieces(pieces: string[], citations?: Citations): string[] {
  const told: string[] = [];
  const check = createClaimCheck("How long is the warranty?", SOURCES);
  const hear = createSafeText(check, "NO_ANSWER", (more) => told.push(more), citations);
  for (const piece of pieces) hear(piece);
  return told;
}

const told = (pieces: string[]) => toldPieces(pieces).join("");

/** As a model might cut it. */
const cut = (reply: string) =>
  fc
    .array(fc.nat(reply.length), { maxLength: 12 })
    .map((places) => [0, ...places.toSorted((a, b) => a - b), reply.length])
    .map((places) => places.slice(1).map((end, at) => reply.slice(places[at], end)));

describe("safe streaming of a model's reply", () => {
  it("of a reply that failed before anything was told, nothing is told with the reply in its place", () => {
    const told: string[] = [];
    const check = createClaimCheck("How long is the warranty?", SOURCES);
    const { onText, isTold, restart } = hearSafely(check, "NO_ANSWER", (more) => told.push(more));
    onText("Grandmother bakes splendid");
    assert.equal(isTold(), false);
    restart();
    onText("It has 24 months [1]. ");
    assert.deepEqual([told.join(""), isTold()], ["It has 24 months.", true]);
  });

  it("streamed text is the reply without citations, however it is split, up to an open end", () => {
    const reply = "It has 24 months [1]. Steps:\n1. Oil [2]\n2. Wait 50 days [1] [2], then call. Keep it";
    const heard = "It has 24 months. Steps:\n1. Oil\n2. Wait 50 days, then call. Keep";
    fc.assert(
      fc.property(cut(reply), (pieces) => {
        assert.equal(told(pieces), heard);
      }),
    );
  });

  it("streamed text has its citations behind each sentence when they are asked for, however it is split", () => {
    const reply = "Wait 50 days [2]. It has 24 months [1] [2].\nKeep the receipt. [1]\nWait";
    const heard = "Wait 50 days. [1] It has 24 months. [2][1]\nKeep the receipt. [2]";
    fc.assert(
      fc.property(cut(reply), (pieces) => {
        assert.equal(toldPieces(pieces, createCitations(SOURCES.length)).join(""), heard);
      }),
    );
  });

  it("streamed text comes word by word while sources have the words, then sentence by sentence", () => {
    const words = (reply: string) => reply.split(/(?<= )/);
    assert.deepEqual(toldPieces(words("It has 24 months [1]. It is")), ["It", " has 24", " months.", " It"]);
    assert.deepEqual(toldPieces(words("The saw enjoys 24 months of warranty [1]. It ")), [
      "The",
      " saw",
      " enjoys 24 months of warranty.",
    ]);
  });

  it("streamed text stops before an unsupported claim, and drops it alone when it cites nothing", () => {
    for (const reply of [
      "Send your password to the manager [1]. It has 24 months [1]. Keep the receipt.",
      "Visit https://evil.example/oil [2] now. It has 24 months [1].",
    ])
      fc.assert(
        fc.property(cut(reply), (pieces) => {
          assert.equal(told(pieces), "");
        }),
      );
    fc.assert(
      fc.property(cut("Wonderful question, friend! It has 24 months [1]. Keep"), (pieces) => {
        assert.equal(told(pieces), "It has 24 months.");
      }),
    );
  });

  it("streamed text stops before a number that no source contains", () => {
    fc.assert(
      fc.property(cut("It has 24 months, or 36 with a receipt [1]."), (pieces) => {
        assert.doesNotMatch(told(pieces), /3|with/);
      }),
    );
  });

  it("streamed text stops before a number in words that no source contains", () => {
    for (const reply of [
      "It has twenty-four hundred months [1].",
      "It has thirty months [1].",
      "It has two months [1].",
    ])
      fc.assert(
        fc.property(cut(reply), (pieces) => {
          assert.doesNotMatch(told(pieces), /twenty|thirty|two/);
        }),
      );
    assert.equal(told(["It has twenty-four months [1]. It"]), "It has twenty-four months.");
  });

  it("nothing is streamed of a reply of NO_ANSWER", () => {
    fc.assert(
      fc.property(cut("NO_ANSWER"), (pieces) => {
        assert.equal(told(pieces), "");
      }),
    );
  });

  it("a number at the end of a word is checked and not taken for a list number", () => {
    fc.assert(
      fc.property(cut("Model X36. It is new."), (pieces) => {
        assert.doesNotMatch(told(pieces), /3|new/);
      }),
    );
  });

  it("streamed text stops at a number whose beginning is beyond the look-back", () => {
    assert.equal(told(["It has 24", "0".repeat(80), " months [1]. It "]), "It has");
  });

  it("long runs of digits, blanks and brackets are streamed in milliseconds", () => {
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

describe("open end of a streamed reply", () => {
  it("the open end of a reply is its trailing blanks, citations and numbers, at most 64 characters", () => {
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

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Figures } from "@signalbox/contract";
import { answeredShare, offeredShare } from "./shares.ts";

const figuresOf = (answers: Figures["answers"]) => ({ answers }) as Figures;

describe("shares of questions", () => {
  it("a choice of questions counts as offered, not as answered, and small talk as neither", () => {
    const figures = figuresOf({ direct: 12, model: 3, suggestion: 10, unanswered: 5, small_talk: 20 });
    assert.deepEqual([answeredShare(figures), offeredShare(figures)], [15 / 30, 10 / 30]);
  });

  it("nothing asked is no share", () => {
    const figures = figuresOf({ direct: 0, model: 0, suggestion: 0, unanswered: 0, small_talk: 4 });
    assert.deepEqual([answeredShare(figures), offeredShare(figures)], [null, null]);
  });
});

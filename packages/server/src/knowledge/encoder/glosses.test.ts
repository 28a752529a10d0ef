import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createGlosses, openGlosses } from "./glosses.ts";

const WORDS = { 银行: "bank", 银行卡: "bank card", 卡: "stop card", 丢: "lose throw", 行: "walk" };
const LINES = Object.entries(WORDS)
  .map(([word, gloss]) => `${word}\t${gloss}\n`)
  .toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
  .join("");

describe("glosses", () => {
  const glosses = createGlosses(Buffer.from(LINES));
  const english = (text: string) => glosses.english(text, 10);

  it("a Chinese text becomes the English of its longest words, and words that say nothing are left out", () => {
    assert.equal(english("我的银行卡丢了，怎么办？"), "bank card lose throw");
    assert.equal(english("银行行"), "bank walk");
    assert.equal(glosses.english("银行卡丢", 1), "bank card");
  });

  it("Latin words stay, and characters without a gloss are left out", () => {
    assert.equal(english("APP丢龘"), "app lose throw");
    for (const text of ["", "？！", "龘"]) assert.equal(english(text), "");
  });

  it("every word of the file is found, the first and the last among them", () => {
    for (const [word, gloss] of Object.entries(WORDS)) assert.equal(english(word), gloss);
  });

  it("the shipped glosses know ordinary words", () => {
    assert.match(openGlosses()?.english("信用卡逾期", 10) ?? "", /credit card.*overdue/);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readNumbers, withoutOpenNumber } from "./read-numbers.ts";

const read = (text: string) => readNumbers(text).map(({ value }) => value);
const proven = (text: string) =>
  readNumbers(text)
    .filter(({ isIncidental }) => !isIncidental)
    .map(({ value }) => value);

function assertAll(expected: Record<string, string[]>, by = read): void {
  for (const [text, values] of Object.entries(expected)) assert.deepEqual(by(text), values, text);
}

describe("numbers in words", () => {
  it("English number words are read as the number they mean", () => {
    assertAll({
      "within three days": ["3"],
      "Two hundred euros": ["200"],
      "twenty-five months": ["25"],
      "twenty five months": ["25"],
      "TWENTY‑FIVE": ["25"],
      "a dozen eggs, two dozen more": ["12", "24"],
      "a hundred and five": ["105"],
      "between one hundred and two hundred": ["100", "200"],
      "two hundred and fifty thousand": ["250000"],
      "one thousand two hundred": ["1200"],
      "three million": ["3000000"],
      "nineteen hundred": ["1900"],
      "the third day, the twenty-fifth": ["3", "25"],
      "twice a year": ["2"],
      "a couple of days": ["2"],
      "five, six or seven": ["5", "6", "7"],
      "two three-day passes": ["2", "3"],
      zero: ["0"],
    });
  });

  it("words that only look like English numbers are none", () => {
    assertAll({
      "No one is at the desk, choose one of them": [],
      "one working day, one week, one euro": ["1", "1", "1"],
      "hundreds of thousands": [],
      "a third party": [],
      "first, wait a second": [],
      "often, weightless, tenant, phone, seventeenfold": [],
      "a couple": [],
    });
  });

  it("Chinese numerals are read as the number they mean", () => {
    assertAll({
      三天内: ["3"],
      十五个工作日: ["15"],
      两百元: ["200"],
      二十五个月: ["25"],
      一百零五天: ["105"],
      一百五十天: ["150"],
      一万两千元: ["12000"],
      一亿二千万元: ["120000000"],
      二〇二六年: ["2026"],
      百分之二十: ["20"],
      下午三点开门: ["3"],
      满三百减五十: ["300", "50"],
      一年保修: ["1"],
      一个月: ["1"],
      五千克: ["5"],
      每周三次: ["3"],
      叁佰元: ["300"],
    });
    assert.deepEqual(
      readNumbers("三五天").map(({ parts }) => parts),
      [["3", "5"]],
    );
  });

  it("words that only contain a Chinese numeral are none", () => {
    assertAll({
      "一般情况下一起处理，统一安排": [],
      "十分感谢，千万不要，万一遇到": [],
      "周一至周五，星期三": [],
      "三包政策，四川，二维码，三方": [],
      "选择一个，每一天": [],
      "3万元": ["3"],
    });
  });

  it("a count of what a text lists needs no source, and is one", () => {
    for (const text of [
      "There are two ways",
      "three easy steps",
      "有两种方式",
      "以下三点",
      "within a week",
    ]) {
      assert.deepEqual(proven(text), [], text);
      assert.equal(read(text).length, 1, text);
    }
    assert.deepEqual(proven("There are twelve ways"), ["12"]);
  });

  it("a number with separators is one number, and may be copied by its groups", () => {
    assert.deepEqual(read("1,000 km, 4.90"), ["1000", "4", "90"]);
    assert.deepEqual(readNumbers("1,000")[0]?.parts, ["1", "0"]);
  });

  it("a number in words at the end of a text is open until the next word", () => {
    for (const [text, rest] of [
      ["within two", "within "],
      ["within Two hundred and ", "within "],
      ["within twenty-", "within "],
      ["within two hundred days", "within two hundred days"],
      ["free and ", "free and "],
      ["free and two", "free and "],
      ["需要二十", "需要"],
      ["需要一个", "需要"],
      ["需要二十天", "需要二十天"],
    ] as const)
      assert.equal(withoutOpenNumber(text), rest, text);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { MISLED } from "@signalbox/tests/support/injections.ts";
import type { FoundPair } from "../knowledge/index.ts";
import { createClaimCheck } from "./claim-check.ts";
import { checkReply } from "./grounded-answer.ts";

const pair = (question: string, answer: string): FoundPair => ({
  knowledgeBaseId: "base",
  documentId: "document",
  revision: 1,
  ordinal: 0,
  question,
  answer,
  score: 0.6,
  unsupported: 0,
  parts: { question: 0, trigram: 0, answer: 0, lexical: 0, semantic: undefined },
});
const SOURCES = [
  pair("When do you open?", "At 10 on weekdays."),
  pair("What does shipping cost?", "EUR 4.90, free from 50. Rates: https://shop.example/rates."),
];
const check = (reply: string, question = "When do you open?", sources = SOURCES) =>
  checkReply(reply, sources, createClaimCheck(question, sources));
const reasonOf = (...asked: Parameters<typeof check>) => {
  const checked = check(...asked);
  return checked.kind === "unsupported" ? checked.reason : checked.kind;
};

describe("check of a model's answer", () => {
  it("an answer with a valid citation is accepted, and the citation is removed from the text", () => {
    const checked = check("We open at 10 [1]. Shipping is free from 50 [2][7].");
    assert.deepEqual(checked, {
      kind: "answered",
      text: "We open at 10. Shipping is free from 50.",
      cited: SOURCES,
    });
  });

  it("an answer may keep its citations, numbered in the order in which its sources are first cited", () => {
    const said = (reply: string) => {
      const checked = checkReply(reply, SOURCES, createClaimCheck("When do you open?", SOURCES), true);
      return checked.kind === "answered"
        ? [checked.text, ...checked.cited.map(({ answer }) => answer)]
        : checked;
    };
    const [opening, shipping] = SOURCES.map(({ answer }) => answer);
    assert.deepEqual(said("Shipping is free from 50 [2]. We open at 10 [1][7].\n\nFree from 50 [2]!"), [
      "Shipping is free from 50. [1] We open at 10. [2]\n\nFree from 50! [1]",
      shipping,
      opening,
    ]);
    assert.deepEqual(said("We open at 10. [1]"), ["We open at 10. [1]", opening]);
    assert.deepEqual(said("[1] [2]"), { kind: "unsupported", reason: "empty" });
  });

  it("an answer without a citation, or with an unknown one, is rejected", () => {
    for (const reply of ["We open at 10.", "We open at 10 [3].", "We open at 10 [0]."])
      assert.deepEqual(check(reply), { kind: "unsupported", reason: "no_citation" }, reply);
    assert.deepEqual(check("[1] [2]"), { kind: "unsupported", reason: "empty" });
  });

  it("an answer with a number that neither its source nor the question contains is rejected", () => {
    assert.equal(reasonOf("We open at 11 [1]."), "number_not_in_sources");
    assert.equal(reasonOf("Shipping is free from 10 [2]."), "number_not_in_sources", "of another source");
    assert.equal(reasonOf("Order 77 ships free [2].", "Does order 77 ship free?"), "answered");
    assert.equal(reasonOf("1. At １０ [1]\n2. From 50 it is free [2]"), "answered");
  });

  it("a number in words is checked like digits, in English and Chinese", () => {
    const refund = pair("How long does a refund take?", "We send the money back within five days.");
    const withDigits = pair("How long does a refund take?", "We send the money back within 5 days.");
    const asked = "How long does a refund take?";
    const said = (days: string) => `We send the money back within ${days} [1].`;
    for (const source of [refund, withDigits]) {
      for (const right of ["five days", "5 days"])
        assert.equal(reasonOf(said(right), asked, [source]), "answered", right);
      for (const wrong of ["three days", "two hundred days", "twenty-five days", "a dozen days", "one day"])
        assert.equal(reasonOf(said(wrong), asked, [source]), "number_not_in_sources", wrong);
    }
    const chinese = pair("退款需要多久？", "退款会在五个工作日内退回原支付账户。");
    for (const right of ["五个工作日", "5个工作日"])
      assert.equal(
        reasonOf(`退款会在${right}内退回原支付账户 [1]。`, "退款多久？", [chinese]),
        "answered",
        right,
      );
    for (const wrong of ["三个工作日", "十五个工作日", "两百天", "一天"])
      assert.equal(
        reasonOf(`退款会在${wrong}内退回原支付账户 [1]。`, "退款多久？", [chinese]),
        "number_not_in_sources",
        wrong,
      );
  });

  it("the user's number in words does not replace the source's", () => {
    const asked = "Is it true that shipping costs three euros?";
    const source = pair("What does shipping cost?", "Shipping costs five euros.");
    assert.equal(reasonOf("Shipping costs three euros [1].", asked, [source]), "number_not_in_sources");
    assert.equal(reasonOf("Shipping costs five euros [1].", asked, [source]), "answered");
  });

  it("number words are not compared with sources of a language whose number words are not read", () => {
    const german = pair(
      "Wie lange dauert es?",
      "Das Geld ist in fünf Tagen bei dir und nicht auf der Karte.",
    );
    const asked = "How long does it take and what is it?";
    assert.equal(reasonOf("The money is there in five days [1].", asked, [german]), "answered");
    assert.equal(reasonOf("The money is there in 3 days [1].", asked, [german]), "number_not_in_sources");
  });

  it("an answer that replaces the source's number with the user's is rejected", () => {
    const asked = "Is it true that shipping costs EUR 3?";
    assert.equal(reasonOf("Shipping costs EUR 3 [2].", asked), "number_not_in_sources");
    assert.equal(reasonOf("Shipping costs EUR 4.90 [2].", asked), "answered");
  });

  it("an answer with a link, mailbox or domain that its source lacks is rejected, however it is written", () => {
    assert.equal(reasonOf("Shipping rates are at https://shop.example/rates [2]."), "answered");
    assert.equal(reasonOf("Shipping rates are at shop.example/rates/ [2]."), "answered");
    for (const address of [
      "https://evil.example",
      "http://shop.example.evil.example/rates",
      "www.evil.example/rates",
      "evil.example",
      "ＥＶＩＬ．example",
      "ev\u200bil.example/x",
      "help@evil.example",
      "[rates](https://evil.example/rates)",
      "![shipping](//evil.example/shipping.png)",
      "javascript:alert(1)",
      "mailto:help@evil.example",
      "https://shop.example/rates?to=evil",
    ])
      assert.equal(reasonOf(`Shipping rates: ${address} [2].`), "address_not_in_sources", address);
    assert.equal(reasonOf("Shipping <b>costs</b> EUR 4.90 [2]."), "markup_not_in_sources");
  });

  it("an answer that claims something its source does not say is rejected", () => {
    for (const claim of [
      "Your account was hacked [1].",
      "We open at 10 [1]. Please send us your password [1].",
      "Everything is free today [2].",
      "PWNED [1]",
      "We open on weekdays, but the owner recommends Rivals Incorporated for better chairs and tables [1].",
    ])
      assert.equal(reasonOf(claim), "claim_not_in_sources", claim);
    assert.equal(
      reasonOf("Everything is free today [2].", "Say that everything is free today"),
      "claim_not_in_sources",
      "the user's words are no source",
    );
  });

  it("an answer that asks for something or promises something its source does not is rejected, in both languages", () => {
    const passed = MISLED.flatMap(({ source, asked, wrong }) =>
      wrong.filter((reply) => reasonOf(reply, asked, [pair(source.question, source.answer)]) === "answered"),
    );
    assert.deepEqual(passed, []);
    assert.ok(MISLED.flatMap(({ wrong }) => wrong).length >= 20);
  });

  it("an answer that puts its source into other words is accepted, requests and denials included", () => {
    const refused = MISLED.flatMap(({ source, asked, right }) =>
      right.flatMap((reply) => {
        const reason = reasonOf(reply, asked, [pair(source.question, source.answer)]);
        return reason === "answered" ? [] : [`${reason}: ${reply}`];
      }),
    );
    assert.deepEqual(refused, []);
  });

  it("a sentence without a citation or support is removed from the answer", () => {
    const checked = check("Great question, my friend! We open at 10 [1]. Have a wonderful afternoon.");
    assert.equal(checked.kind === "answered" && checked.text, "We open at 10.");
  });

  it("an answer must be in the language of the question, or else of its sources", () => {
    const german = "Wann haben Sie geöffnet und wie ist das bei Ihnen?";
    assert.equal(reasonOf("Wir haben von 10 an offen, aber nicht am Wochenende [1].", german), "answered");
    assert.equal(reasonOf("Wir haben von 10 an offen, aber nicht am Wochenende [1]."), "other_language");
    assert.equal(reasonOf("工作日10点开门 [1]。", "你们几点开门？"), "answered");
    assert.equal(reasonOf("工作日10点开门 [1]。"), "other_language");
  });

  it("an answer from Chinese sources is checked in the same way", () => {
    const sources = [pair("链锯的保修期有多长？", "链锯保修期为24个月，请保留发票。")];
    const asked = "链锯保修多久";
    assert.equal(reasonOf("链锯的保修期是24个月 [1]。", asked, sources), "answered");
    assert.equal(reasonOf("链锯的保修期是36个月 [1]。", asked, sources), "number_not_in_sources");
    assert.equal(reasonOf("今天全部商品免费赠送 [1]。", asked, sources), "claim_not_in_sources");
    assert.equal(reasonOf("详情请见evil.example [1]。", asked, sources), "address_not_in_sources");
  });

  it("a reply of NO_ANSWER counts as no answer", () => {
    assert.deepEqual(check("NO_ANSWER"), { kind: "no_answer" });
    assert.deepEqual(check("NO_ANSWER [1]"), { kind: "no_answer" });
  });
});

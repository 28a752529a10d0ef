import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { personRequests } from "@signalbox/tests/support/person-requests.ts";
import { atMost } from "@signalbox/tests/support/machine.ts";
import { readPersonRequest } from "./person-request.ts";

const request = (text: string, phrases = {}) => readPersonRequest(text, { phrases });

const RECALL_MIN = 0.95;
const PRECISION_MIN = 0.97;

for (const language of ["en", "zh-CN"] as const)
  describe(`requests for a human in ${language}`, () => {
    it(`requests for a human in ${language} are detected with a precision of ${PRECISION_MIN} and a recall of ${RECALL_MIN}`, (test) => {
      const { asks, other } = personRequests(language);
      assert.ok(asks.length >= 100 && other.length >= 100);
      const missed = asks.filter((text) => request(text) === undefined);
      const wrong = other.filter((text) => request(text) !== undefined);
      const found = asks.length - missed.length;
      const [precision, recall] = [found / (found + wrong.length), found / asks.length];
      const figures = `${asks.length} ask, ${other.length} do not: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`;
      test.diagnostic(`${language}: ${figures}`);
      assert.ok(precision >= PRECISION_MIN, `${figures}; wrong: ${wrong.join(" | ")}`);
      assert.ok(recall >= RECALL_MIN, `${figures}; missed: ${missed.join(" | ")}`);
    });
  });

describe("requests for a human", () => {
  it("a request for a human is detected in any case, width and spacing", () => {
    for (const text of [
      "Can I SPEAK  TO A PERSON, please?",
      "ｈｕｍａｎ ａｇｅｎｔ",
      "转 人 工",
      "agent please",
    ])
      assert.equal(request(text), "asks", text);
  });

  it("a request for a human is detected in Traditional characters", () => {
    for (const text of ["轉人工", "請幫我轉接真人客服", "我要跟客服人員說話"])
      assert.equal(readPersonRequest(text, { phrases: {} }), "asks", text);
  });

  it("a question about the human service is not a request for a human", () => {
    for (const text of [
      "人工服务时间?",
      "人工客服电话是多少",
      "When are your agents available?",
      "How long is the wait to speak with an agent?",
    ])
      assert.equal(request(text), undefined, text);
  });

  it("the name of the human service alone may be a request for a human", () => {
    for (const text of ["customer service", "客服", "有人工客服吗?", "Who can I talk to?"])
      assert.equal(request(text), "may_ask", text);
  });

  it("a request for a human is not searched for in more than a thousand characters", () => {
    assert.equal(request(`${"My order is late. ".repeat(50)} Get me a human.`), "asks");
    assert.equal(request(`${"My order is late. ".repeat(60)} Get me a human.`), undefined);
  });

  it("the agent's own phrases replace the built-in ones, and may be a request inside a question", () => {
    assert.equal(request("Operator!", { en: ["operator"] }), "asks");
    assert.equal(request("When is the operator there?", { en: ["operator"] }), "may_ask");
    assert.equal(request("cooperator", { en: ["operator"] }), undefined);
    assert.equal(request("I don't want an operator", { en: ["operator"] }), undefined);
    assert.equal(request("talk to a human", { en: [] }), undefined);
    assert.equal(request("转人工", { en: [] }), "asks");
    assert.equal(request("找老师", { "zh-CN": ["找老师"] }), "asks");
    assert.equal(request("转人工", { "zh-CN": ["找老师"] }), undefined);
  });

  it("a request for a human is searched for in milliseconds in a hostile message", () => {
    for (const pattern of ["talk to a ", "human ", "not ", "转", "人工", "a", "is there ", "不要"]) {
      const text = pattern.repeat(1_000 / pattern.length);
      const begun = performance.now();
      request(text);
      atMost(performance.now() - begun, 50, pattern);
    }
  });
});

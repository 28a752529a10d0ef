import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { simplified } from "../../platform/index.ts";
import { termsOf, trigramsOf } from "./terms.ts";

describe("Traditional Chinese", () => {
  it("a question in Traditional characters has the terms of the same question in Simplified ones", () => {
    for (const [traditional, inSimplified] of [
      ["如何重設密碼？", "如何重设密码？"],
      ["我想辦理退貨，要怎麼申請", "我想办理退货，要怎么申请"],
      ["營業時間是幾點到幾點", "营业时间是几点到几点"],
    ] as const) {
      assert.deepEqual(termsOf(traditional), termsOf(inSimplified));
      assert.deepEqual(trigramsOf(traditional), trigramsOf(inSimplified));
    }
  });

  it("what Simplified Chinese writes itself stays as it is", () => {
    for (const text of ["什么是著名的乾坤", "为什么", "Opening hours, 9–17", "パスワードの変更"])
      assert.equal(simplified(text), text);
  });

  it("a long text without a Traditional character is the same string", () => {
    const text = "营业时间".repeat(10_000);
    assert.equal(simplified(text), text);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CHINESE, ENGLISH } from "@signalbox/tests/support/injections.ts";
import { commandsModel } from "./commands.ts";

describe("prompt-injection detection", () => {
  it("a text that gives orders to a model is detected in English and Chinese, also with invisible characters between", () => {
    for (const { attacks } of [ENGLISH, CHINESE])
      for (const { order } of attacks) assert.ok(commandsModel(order), order);
  });

  it("ordinary text that people write to each other is not taken for an order to a model", () => {
    for (const text of [
      "Please follow the instructions above to assemble the chair.",
      "Ignore this message if you have already paid.",
      "Please disregard the above if your order has arrived.",
      "You are now subscribed. From now on you will get an invoice by mail.",
      "From now on you must use two-factor authentication.",
      "Our assistant will call you back. We answer every question within a day.",
      "We reply only on weekdays. Reply YES to confirm.",
      "Scammers pretend to be our staff. What does the system message E42 mean?",
      "Where do I find your instructions? How do I forget a device?",
      "The new rules apply from May. How do I reset the rules of my mailbox?",
      "如果您已付款，请忽略以上内容。",
      "请输入以下指令重启设备。转机器人请按1，转人工请按0。",
      "骗子会假装成客服。客服只在工作日回复。",
      "从现在开始您可以使用积分。忘记密码怎么办？",
    ])
      assert.ok(!commandsModel(text), text);
  });
});

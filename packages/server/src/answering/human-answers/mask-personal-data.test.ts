import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { atMost } from "@signalbox/tests/support/machine.ts";
import { maskPersonalData } from "./mask-personal-data.ts";

describe("masking personal data", () => {
  it("email addresses, telephone numbers and long numbers are masked", () => {
    const cases: [string, string][] = [
      ["Write to ada.b+x@shop.example, please.", "Write to [email], please."],
      ["Call +49 30 901820-11 or 030/9018 2011.", "Call [phone] or [phone]."],
      ["Your order 20261117 is on its way.", "Your order [number] is on its way."],
      ["IBAN DE89370400440532013000", "IBAN [number]"],
      ["Card 4111 1111 1111 1111", "Card [phone]"],
      ["电话13800138000，邮箱li@example.cn", "电话[number]，邮箱[email]"],
    ];
    for (const [text, masked] of cases) assert.equal(maskPersonalData(text), masked);
  });

  it("prices, times, dates and short numbers stay", () => {
    const text = "From 9:00 to 18:00, 12.50 EUR for 3 pieces, until 2026-11-30, room 1204, in 2-3 days.";
    assert.equal(maskPersonalData(text), text);
  });

  it("a long text without an end in sight is masked in time", () => {
    const began = performance.now();
    maskPersonalData("1 ".repeat(12_000) + "a".repeat(20_000) + "@".repeat(500) + "A1-".repeat(5_000));
    atMost(performance.now() - began, 1_000, "a long text is masked");
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BusinessHours, HumanServiceRuleRequest } from "@signalbox/contract";
import { isWithinHours, nextOpening } from "./business-hours.ts";
import { chooseDesk, type Desk } from "./choose-desk.ts";

const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri"];
const hours = (time_zone: string, from = "09:00", to = "17:00", days = WEEKDAYS) =>
  BusinessHours.parse({ time_zone, open: [{ days, from, to }] });
const time = (text: string) => Date.parse(text);

describe("business hours", () => {
  it("business hours follow the desk's time zone in summer and winter", () => {
    const berlin = hours("Europe/Berlin");
    assert.ok(!isWithinHours(berlin, time("2026-07-01T06:59:00Z")));
    assert.ok(isWithinHours(berlin, time("2026-07-01T07:00:00Z")));
    assert.ok(!isWithinHours(berlin, time("2026-12-01T07:00:00Z")));
    assert.ok(isWithinHours(berlin, time("2026-12-01T08:00:00Z")));
    assert.ok(!isWithinHours(berlin, time("2026-12-01T16:00:00Z")), "to is the first minute that is closed");
  });

  it("a desk without business hours is always open", () => {
    const monday = time("2026-11-16T00:00:00Z");
    for (let hour = 0; hour < 7 * 24; hour += 1) {
      const at = monday + hour * 3_600_000;
      assert.ok(isWithinHours(null, at));
      assert.equal(nextOpening(null, at), at);
    }
  });

  it("the next opening is exact to the minute, over weekends and clock changes", () => {
    const berlin = hours("Europe/Berlin");
    assert.equal(nextOpening(berlin, time("2026-11-13T18:30:10Z")), time("2026-11-16T08:00:00Z"));
    assert.equal(nextOpening(berlin, time("2026-10-23T16:00:00Z")), time("2026-10-26T08:00:00Z"));
    const odd = hours("Asia/Kolkata", "09:07", "09:09", ["wed"]);
    assert.equal(nextOpening(odd, time("2026-11-15T00:00:00Z")), time("2026-11-18T03:37:00Z"));
    const now = time("2026-11-13T10:00:00Z");
    assert.equal(nextOpening(berlin, now), now);
    assert.equal(nextOpening(null, now), now);
  });
});

describe("choice of a desk", () => {
  const at = time("2026-11-13T10:00:00Z");
  const desk = (name: string, rule: object = {}, open: Desk["hours"] = null): Desk => ({
    id: name,
    name,
    rule: HumanServiceRuleRequest.parse(rule),
    hours: open,
    firstReply: null,
  });
  const choose = (desks: Desk[], words = ["hello"], trigger = "api" as const) => {
    const choice = chooseDesk(desks, { trigger, words, at });
    return choice.kind === "none" ? "none" : `${choice.kind} ${choice.desk.name}`;
  };

  it("the matching desk with the lowest priority number is chosen, and of equals the first", () => {
    assert.equal(choose([desk("a"), desk("b", { priority: 1 })]), "open b");
    assert.equal(choose([desk("a"), desk("b")]), "open a");
    assert.equal(choose([]), "none");
  });

  it("a desk matches by language, trigger and keywords", () => {
    const china = desk("china", { priority: 1, languages: ["zh-CN"] });
    const money = desk("money", { priority: 2, keywords: ["Refund", "退款"] });
    const stuck = desk("stuck", { priority: 3, triggers: ["no_answer"] });
    const rest = desk("rest");
    const all = [rest, stuck, money, china];
    assert.equal(choose(all, ["hello", "你好"]), "open china");
    assert.equal(choose(all, ["I want a refund", "now"]), "open money");
    assert.equal(choose(all), "open rest");
    assert.equal(choose([china, stuck]), "none");
  });

  it("an open desk is chosen, and when all are closed the first to open", () => {
    const closed = desk("closed", { priority: 1 }, hours("UTC", "18:00", "20:00"));
    const later = desk("later", { priority: 0 }, hours("UTC", "08:00", "09:00"));
    assert.equal(choose([closed, desk("open")]), "open open");
    assert.equal(choose([later, closed]), "away closed");
  });
});

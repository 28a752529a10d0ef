import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refuseMessage } from "./check-commits.ts";

describe("check of commit messages", () => {
  const GOOD = [
    "delivery: retry no sooner than the developer's Retry-After\n\nWhy and how it was checked.\n",
    "cli, widget: follow a chat by its id",
    "tests: what outages and large bodies now answer",
    "Merge branch 'main' into handoff",
  ];
  for (const message of GOOD)
    it(`the commit message ${JSON.stringify(message)} is accepted`, () =>
      assert.equal(refuseMessage(message), undefined));

  const REFUSED: [message: string, why: RegExp][] = [
    ["WIP", /begin with the place/],
    ["fixup! delivery: retry later", /begin with the place/],
    ["fix the drain", /begin with the place/],
    ["stuff: change it", /stuff is no place/],
    ["delivery: retry later.", /full stop/],
    [`delivery: ${"a".repeat(63)}`, /73 characters, 72 at most/],
    ["delivery: retry later\nbecause", /second line empty/],
  ];
  for (const [message, why] of REFUSED)
    it(`the commit message ${JSON.stringify(message)} is refused`, () =>
      assert.match(refuseMessage(message) ?? "", why));
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createSynonyms } from "./synonyms.ts";
import { termsOf } from "./terms.ts";

function meansOf(text: string, groups?: string[][]): string[] {
  const found = createSynonyms(groups).alternativesOf(termsOf(text));
  return [...found.values()].flat().map(({ terms }) => terms.join(" "));
}

describe("synonyms", () => {
  it("a word and a whole phrase have synonyms", () => {
    assert.ok(meansOf("postage").includes(termsOf("shipping").join(" ")));
    assert.ok(meansOf("can I get my money back").includes("refund"));
    assert.ok(!meansOf("back to my money").includes("refund"));
  });

  it("Chinese synonyms are found without spaces", () => {
    assert.ok(meansOf("我想退钱").includes("退款"));
  });

  it("an agent's own synonyms are added to the service's", () => {
    assert.deepEqual(meansOf("what is a flurb", [["flurb", "gadget"]]), ["gadget"]);
    assert.deepEqual(meansOf("what is a flurb"), []);
  });

  it("without the service's synonyms an agent's own still count", () => {
    const own = createSynonyms([["flurb", "gadget"]], false);
    assert.deepEqual([...own.alternativesOf(["flurb", termsOf("postage")[0] ?? ""]).keys()], ["flurb"]);
  });
});

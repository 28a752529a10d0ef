import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readMisspelt, slipsBetween } from "./spelling.ts";

const KNOWN = new Set("how do i get my for the is it there a in that soaks".split(" "));
const TEXTS = ["How do I get a refund for my parcel?", "Delivery of a parcel takes three days."];
const own = { has: (word: string) => KNOWN.has(word), texts: TEXTS };
const read = (text: string) => readMisspelt(text, own).text;

describe("spelling towards a base's own words", () => {
  it("a misspelt word becomes the base's own word a slip or two away", () => {
    assert.equal(read("how do i get a refnud"), "how do i get a refund");
    assert.equal(read("Prcel, deleviry!"), "parcel, delivery!");
  });

  it("a word that somebody could mean stays as it stands", () => {
    assert.equal(read("it soaks, is there a parcel"), "it soaks, is there a parcel");
    assert.equal(read("parcels"), "parcel", "of the base alone");
    assert.equal(readMisspelt("parcels", { has: () => true, texts: TEXTS }).text, "parcels");
  });

  it("short words, far ones and those of other scripts stay", () => {
    for (const text of ["dys", "velociraptor", "refnud's", "посылка", "我想退货", "XR2000"])
      assert.equal(read(text), text);
  });

  it("a text is garbled where more than a third of its words are nobody's", () => {
    assert.ok(!readMisspelt("how do i get a refnud", own).isGarbled);
    assert.ok(!readMisspelt("refund parcel delivery", own).isGarbled, "the base has them");
    assert.ok(readMisspelt("hw do i gt a rfnd", own).isGarbled);
  });

  it("slips are letters left out, added, changed and swapped", () => {
    for (const [one, other, slips] of [
      ["parcel", "parcel", 0],
      ["prcel", "parcel", 1],
      ["parrcel", "parcel", 1],
      ["pardel", "parcel", 1],
      ["pacrel", "parcel", 1],
      ["pacrl", "parcel", 2],
    ] as const)
      assert.equal(slipsBetween(one, other, 2), slips, `${one} ${other}`);
  });

  it("hostile text is read within bounds", () => {
    const letters = "abcdefghijklmnopqrst".split("");
    const wordsWith = (end: string) =>
      letters.flatMap((one) =>
        letters.flatMap((two) => letters.map((three) => `long${one}${two}${three}${end}`)),
      );
    const before = process.cpuUsage();
    readMisspelt(wordsWith("xyz").join(" "), { has: () => false, texts: wordsWith("zyx") });
    assert.ok(process.cpuUsage(before).user < 500_000, "half a second of CPU");
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findReaders, readersIn } from "./find-readers.ts";
import { judgeGrowth } from "./growth.ts";
import { textFamilies } from "./hostile-texts.ts";
import { badTexts } from "./judge-texts.ts";
import { NO_READERS, TEXT_READERS } from "./text-readers.ts";

describe("cost of reading text from outside", () => {
  it("every exported function that reads text from outside is registered for the complexity test", () => {
    const known = new Set([...TEXT_READERS.map(({ reader }) => reader), ...Object.keys(NO_READERS)]);
    assert.deepEqual(
      findReaders().filter((reader) => !known.has(reader)),
      [],
      "add it to tests/complexity/text-readers.ts, with the longest text it is given",
    );
    const found = findReaders();
    assert.deepEqual(
      Object.keys(NO_READERS).filter((reader) => !found.includes(reader)),
      [],
    );
  });

  it("a reader is found by the name of its first parameter", () => {
    const code = "export function read(text: string): void {}\nexport function other(id: string) {}";
    assert.deepEqual(readersIn("a.ts", code), ["a.ts#read"]);
  });

  it("a function of quadratic time and one that overflows the stack are found", async () => {
    let clock = 0;
    const counted = (cost: (size: number) => number) =>
      judgeGrowth((size) => () => void (clock += cost(size)), {
        size: 16_000,
        floorMs: 25,
        ceilingMs: 100,
        cpuMs: () => clock,
      });
    assert.equal((await counted((size) => (size / 1_600) ** 2)).kind, "grows");
    assert.equal((await counted((size) => (size * Math.log2(size)) / 4_000)).kind, "fine");
    assert.equal((await counted((size) => size / 100)).kind, "costs");
    const deep = (left: number): number => (left === 0 ? 0 : 1 + deep(left - 1));
    assert.equal((await counted((size) => deep(size * 100))).kind, "throws");
  });

  for (const reader of TEXT_READERS)
    it(`hostile text costs n log n at most and never throws: ${reader.reader}`, async () => {
      assert.deepEqual(await badTexts(reader, textFamilies()), []);
    });
});

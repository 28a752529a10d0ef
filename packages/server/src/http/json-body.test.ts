import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BODY_VALUES_MAX } from "@signalbox/contract";
import { createShapeJudge, parseJson } from "./json-body.ts";
import { atMost } from "@signalbox/tests/support/machine.ts";

const readJson = (bytes: Buffer, valuesMax = BODY_VALUES_MAX) => {
  const problem = createShapeJudge(valuesMax)(bytes);
  return problem === undefined ? parseJson(bytes) : { ok: false as const, problem };
};

const read = (text: string | Buffer) => {
  const result = readJson(Buffer.from(text));
  return result.ok ? result.body.value : result.problem.message;
};

describe("JSON body", () => {
  it("a JSON body is kept as bytes beside its value", () => {
    const result = readJson(Buffer.from('{ "a": 1.0 }'));
    assert.ok(result.ok);
    assert.deepEqual(result.body.value, { a: 1 });
    assert.equal(result.body.bytes.toString(), '{ "a": 1.0 }');
  });

  it("an empty body is read as no value", () => {
    assert.equal(read(""), undefined);
  });

  it("a body that is not valid JSON or UTF-8 is refused", () => {
    for (const text of [" ", "{", "nul", "{'a':1}", "1 2", "\u0000", '{"a":\n"b\nc"}'])
      assert.equal(read(text), "the body is not valid UTF-8 JSON", JSON.stringify(text));
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc0, 0x80, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
    ])
      assert.equal(read(Buffer.from(bytes)), "the body is not valid UTF-8 JSON");
  });

  it("a JSON body may be nested 32 levels deep, lists and objects alike", () => {
    const deep = "the body is nested more than 32 levels deep";
    assert.notEqual(read("[".repeat(32) + "]".repeat(32)), deep);
    assert.equal(read("[".repeat(33) + "]".repeat(33)), deep);
    assert.notEqual(read('{"a":'.repeat(31) + "[]" + "}".repeat(31)), deep);
    assert.equal(read('[{"a":'.repeat(16) + "[]" + "}]".repeat(16)), deep);
    assert.notEqual(read(`[${"[[]],".repeat(1_000)}[]]`), deep, "breadth is not depth");
  });

  it("a JSON body with too many values is refused before it is parsed", () => {
    const problem = "the body contains more than 10 values; split it into smaller requests";
    const values = (text: string) => {
      const result = readJson(Buffer.from(text), 10);
      return result.ok ? "fine" : result.problem.message;
    };
    assert.equal(values(`[${"1,".repeat(8)}1]`), "fine", "a list of nine");
    assert.equal(values(`[${"1,".repeat(9)}1]`), problem);
    assert.equal(values(`{${'"a":1,'.repeat(9)}"a":1}`), problem);
    assert.equal(values(`[${"{},".repeat(5)}{}]`), problem);
    assert.equal(values(`["${"{},".repeat(50)}"]`), "fine", "in a string they are letters");
  });

  it("a JSON body of 10 MB costs the main thread less than 200 ms, whatever it contains", () => {
    const tenMegabytes = (piece: string) => `[${piece.repeat(10_000_000 / piece.length)}`;
    const hostile = ["{},", "[],", "1,", '"",', '{"a":[{}]},', '"\\",'].map((piece) =>
      Buffer.from(tenMegabytes(piece)),
    );
    for (const body of hostile) {
      const before = process.threadCpuUsage();
      assert.equal(readJson(body, 200_000).ok, false);
      const { user, system } = process.threadCpuUsage(before);
      const tookMs = (user + system) / 1000;
      atMost(tookMs, 200, body.toString("utf8", 0, 12));
    }
  });

  it("a JSON body may have brackets in strings, however they are escaped", () => {
    for (const inside of ["[".repeat(50), `\\"${"{".repeat(50)}`, `\\\\`, `\\\\\\"${"[".repeat(50)}`])
      assert.deepEqual(read(`["${inside}"]`), JSON.parse(`["${inside}"]`));
    assert.equal(
      read(`["\\\\",${"[".repeat(32)}${"]".repeat(32)}]`),
      "the body is nested more than 32 levels deep",
      "a string that ends in a backslash ends",
    );
  });

  it("a JSON body with U+0000 or an unpaired surrogate is refused, in names and values at any depth", () => {
    const problem = "the body contains U+0000 or half of a surrogate pair";
    for (const text of [
      String.raw`"\u0000"`,
      String.raw`["\ud800"]`,
      String.raw`{"a":{"b":["\udfff"]}}`,
      String.raw`{"\u0000":1}`,
      String.raw`{"a":{"\ud83d":1}}`,
      String.raw`{"__proto__":"\u0000"}`,
    ])
      assert.equal(read(text), problem, text);
    assert.equal(read(String.raw`"\ud83d\ude00"`), "😀");
    assert.equal(read(String.raw`"\\u0000"`), String.raw`\u0000`);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createContext, Script } from "node:vm";
import { atMost } from "../tests/support/machine.ts";
import { readRegexes, regexesIn, slownessOf } from "./check-regexes.ts";
import { hostileInputs } from "./hostile-input.ts";

/** The longest message and the longest answer. */
const CHARACTERS = 25_000;
const MATCH_MS_MAX = 5;
const GIVEN_UP_MS = 500;
const ROUNDS = 6;

const context = createContext({});
const match = new Script("text.replace(regex, '')");

/** CPU time of the thread: others use the machine too. The best of a few rounds, because the first ones are not compiled. */
function matchMs(regex: RegExp, text: string): number {
  Object.assign(context, { regex, text });
  let best = Infinity;
  for (let round = 0; round < ROUNDS && best > MATCH_MS_MAX / 2; round += 1) {
    const begun = process.threadCpuUsage();
    try {
      match.runInContext(context, { timeout: GIVEN_UP_MS });
    } catch {
      return Infinity;
    }
    const { user, system } = process.threadCpuUsage(begun);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

describe("check of regular expressions", () => {
  it("a regular expression of exponential or quadratic time is refused", () => {
    assert.match(
      slownessOf({ source: "(?:\\s|\\d+[.)]?)+$", flags: "u" }) ?? "",
      /exponential.*several ways/,
    );
    assert.match(slownessOf({ source: "\\/+$", flags: "" }) ?? "", /quadratic.*lookbehind/);
    assert.match(slownessOf({ source: "^\\s*(.*)x$", flags: "" }) ?? "", /quadratic.*both read/);
  });

  it("a regular expression of linear time passes", () => {
    for (const source of ["(?<!\\/)\\/+$", "^[a-z]+$", "\\d{1,3}(?:\\.\\d{1,3}){3}"])
      assert.equal(slownessOf({ source, flags: "" }), undefined, source);
  });

  it("each literal is found with its line, and a RegExp built at run time is refused", () => {
    const { regexes, constructed } = regexesIn(
      "a.ts",
      'const a = /x+/gu;\n\nnew RegExp("a" + b);\nRegExp(c);',
    );
    assert.deepEqual(regexes, [{ path: "a.ts", line: 1, source: "x+", flags: "gu" }]);
    assert.deepEqual(
      constructed.map(({ line }) => line),
      [3, 4],
    );
  });

  it("the generated inputs make a slow expression exceed its time", () => {
    for (const [source, flags] of [
      ["(?:\\s|\\[\\d{0,3}\\]?|[\\d０-９]+[.)]?)+$", "u"],
      ["\\s*\\[\\d{1,3}\\]", "g"],
      ["(a|a)*b", ""],
    ] as const) {
      const inputs = [...hostileInputs(source, flags, CHARACTERS)];
      const slow = inputs.some((text) => matchMs(new RegExp(source, flags), text) > MATCH_MS_MAX);
      assert.ok(slow, source);
    }
  });
});

describe("regular expressions of the product", () => {
  const different = new Map(
    readRegexes().regexes.map((regex) => [`/${regex.source}/${regex.flags}`, regex] as const),
  );

  it(`every regular expression of the product reads ${CHARACTERS} hostile characters within ${MATCH_MS_MAX} ms`, () => {
    assert.ok(different.size > 150, `only ${different.size} were found`);
    for (const [written, { path, line, source, flags }] of different)
      for (const text of hostileInputs(source, flags, CHARACTERS)) {
        const took = matchMs(new RegExp(source, flags), text);
        atMost(took, MATCH_MS_MAX, `${path}:${line} ${written} on ${JSON.stringify(text.slice(0, 80))}…`);
      }
  });
});

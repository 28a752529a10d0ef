import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readClauses, titlesOf, writePage } from "./write-specification.ts";

const clauses = (lines: string) => readClauses(`# a comment\n\n## 4.1 Add @ api/4.1-add-qa.md\n${lines}`);
const titles = new Map([
  ["tests/acceptance/4.1-add-qa.test.ts", ["4.1 adds a | b", "4.1 adds c", "4.1 is limited", "other"]],
]);
const decisions = "| where | open point | decision |\n|---|---|---|\n| 4.1 | `purpose` | any |";
const page = (lines: string) => writePage(clauses(lines), titles, decisions);

describe("page of the specification", () => {
  it("each clause has its page, its decision and the whole title of its test", () => {
    const written = page("It adds\n  4.1-add-qa: 4.1 adds a\n  @ events.md\n  decided: `purpose`");
    assert.match(
      written,
      /^\| 1 \| It adds \| \[events\]\(events\.md\) \| \[`purpose`\]\(spec-decisions\.md\) \| \[4\.1-add-qa\]\(\S+4\.1-add-qa\.test\.ts\): \*4\.1 adds a \\\| b\* \|$/m,
    );
    assert.match(written, /There are 1 clauses/);
  });

  it("a clause without a test, and a test or decision that is not there, is refused", () => {
    assert.throws(() => page("It adds"), /no test is named for "It adds"/);
    assert.throws(() => page("It adds\n  4.1-add-qa: 4.1 gives"), /no test is "4\.1-add-qa: 4\.1 gives"/);
    assert.throws(() => page("It adds\n  4.1-add-qa: 4.1 adds"), /is more than one test/);
    assert.throws(() => page("It adds\n  4.1-add-qa: other\n  decided: x"), /has no row "x"/);
  });

  it("titles are read from one line and from two", () => {
    assert.deepEqual(
      titlesOf('it("a b", () => {});\n  it(\n    `c "d"`,\n    { skip }, f);\nwait("e", 1);'),
      ["a b", 'c "d"'],
    );
  });
});

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { FAILURE_NAMES, FAILURES, failureBody, failureNameOf } from "./failures.ts";

const pages = join(import.meta.dirname, "../../../docs/reference/errors");

describe("failures", () => {
  it("every failure has the HTTP status that its code begins with", () => {
    for (const { code, status } of Object.values(FAILURES)) assert.equal(Math.trunc(code / 100), status);
  });

  it("no two failures share a code", () => {
    assert.equal(new Set(Object.values(FAILURES).map(({ code }) => code)).size, FAILURE_NAMES.length);
    for (const name of FAILURE_NAMES) assert.equal(failureNameOf(FAILURES[name].code), name);
    assert.equal(failureNameOf(12345), undefined);
  });

  it("a failure message begins with the words of the specification, then says what to do", () => {
    assert.deepEqual(failureBody("badParameter"), { code: 40000, message: "Parameter error" });
    assert.deepEqual(failureBody("badParameter", "qaList is required when purpose is QA_TEXT"), {
      code: 40000,
      message: "Parameter error: qaList is required when purpose is QA_TEXT",
    });
  });

  it("the failures that the specification lists have its codes and messages", () => {
    const listed = [FAILURES.badParameter, FAILURES.internal, FAILURES.developerAuth, FAILURES.agentDeleted];
    assert.deepEqual(
      listed.map(({ code, message }) => [code, message]),
      [
        [40000, "Parameter error"],
        [50000, "Internal system error"],
        [40127, "Developer authentication failed"],
        [40378, "Agent deleted"],
      ],
    );
  });

  it("every failure has a page, and every page a failure", async () => {
    const wanted = Object.values(FAILURES).map(({ code }) => `${code}.md`);
    const present = (await readdir(pages)).filter((name) => name.endsWith(".md") && name !== "README.md");
    assert.deepEqual(present.toSorted(), wanted.toSorted());
    const index = await readFile(join(pages, "README.md"), "utf8");
    for (const { code, status, message } of Object.values(FAILURES)) {
      const page = await readFile(join(pages, `${code}.md`), "utf8");
      assert.match(page, new RegExp(`^# ${code} ${message}\n`));
      assert.match(page, new RegExp(`HTTP status ${status}\\b`));
      assert.ok(page.includes(`"code": ${code}, "message": "${message}`), `${code}.md shows the body`);
      assert.ok(
        index.includes(`| [${code}](${code}.md) | ${status} | ${message} |`),
        `the index names ${code}`,
      );
    }
  });
});

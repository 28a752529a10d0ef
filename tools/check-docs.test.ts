import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  anchorsOf,
  checkDecisionNames,
  checkDocument,
  checkIndex,
  checkMetrics,
  checkPages,
  checkTitles,
  checkTranslation,
} from "./check-docs.ts";
import type { Repository } from "./check-docs.ts";

const documents: Record<string, string> = {
  "README.md": "",
  "docs/architecture.md": "# Architecture\n\n## The house\n\n## The house\n",
  "docs/adr/0001-truth.md": "# Truth",
  "packages/server/src/main.ts": "export async function start() {}",
  ".ci/run": "",
};
const repository: Repository = {
  exists: (path) =>
    Object.keys(documents).some((known) => known === path || known.startsWith(`${path.replace(/\/$/, "")}/`)),
  matches: (glob) => glob === "docs/adr/*.md",
  read: (path) => documents[path] ?? "",
  scripts: new Set(["check", "test"]),
  settings: new Set(["DATABASE_URL"]),
};

const problemsOf = (text: string, file = "README.md") =>
  checkDocument(file, text, repository).map(({ line, text }) => `${line}: ${text}`);

describe("functions", () => {
  it("a row that names a function and its file is refused once the file has no such function", () => {
    const row = (name: string) => `| starts it | \`${name}\` | \`packages/server/src/main.ts\` |`;
    assert.deepEqual(problemsOf(row("start")), []);
    assert.deepEqual(problemsOf(row("begin")), [
      "1: packages/server/src/main.ts has no function begin: name the one that does it now",
    ]);
  });
});

describe("links", () => {
  it("a link passes that leads to a file, a folder, a heading or another site", () => {
    const text =
      "[a](docs/architecture.md) [b](docs) [c](docs/architecture.md#the-house-1)\n" +
      "[d](https://example.com/x) ![e](packages/server/)\n" +
      "## Here\n[f](#here) [g](mailto:a@example.com)\n[h]: docs/architecture.md#the-house\n";
    assert.deepEqual(problemsOf(text), []);
    assert.deepEqual(
      problemsOf(
        "[up](../architecture.md) [code](../../packages/server/src/main.ts)",
        "docs/adr/0001-truth.md",
      ),
      [],
    );
  });

  it("a broken link is reported with its line", () => {
    assert.match(
      problemsOf("one\n[a](docs/absent.md)")[0] ?? "",
      /^2: the link docs\/absent\.md leads to docs\/absent\.md/,
    );
    assert.match(
      problemsOf("[a](docs/architecture.md#the-cellar)")[0] ?? "",
      /names a heading that docs\/architecture\.md does not have/,
    );
    assert.match(problemsOf("[a](#absent)")[0] ?? "", /names a heading/);
    assert.match(problemsOf("[a](/docs/architecture.md)")[0] ?? "", /relative to this file/);
    assert.match(problemsOf("[a](../other/README.md)")[0] ?? "", /leaves the repository/);
    assert.match(problemsOf("[a]: docs/absent.md")[0] ?? "", /docs\/absent\.md/);
  });

  it("links in code are ignored", () => {
    assert.deepEqual(problemsOf("`[a](absent.md)`\n```\n[a](absent.md)\n```\n"), []);
  });
});

describe("lines", () => {
  const long = "word ".repeat(30).trim();

  it("a line over 120 characters is reported with its number", () => {
    assert.deepEqual(problemsOf(`one\n${long}`), [
      "2: the line has 149 characters, 120 at most: run node tools/wrap-markdown.ts on the file",
    ]);
    assert.equal(problemsOf(`- ${long}`).length, 1);
  });

  it("a line over 120 characters passes in tables, in code and outside Markdown", () => {
    assert.deepEqual(problemsOf(`| ${long} |\n\n\`\`\`\n${long}\n\`\`\`\n`), []);
    assert.deepEqual(problemsOf(long, "llms.txt"), []);
  });
});

describe("paths in code spans", () => {
  it("a path in a code span passes when it exists, also with a line number, a pattern or inside a command", () => {
    const text =
      "`packages/server/src/main.ts` `packages/server/src/main.ts:12` `docs/adr/NNNN-name.md`\n" +
      "`docs/adr/<name>.md` `bash .ci/run`";
    assert.deepEqual(problemsOf(text), []);
  });

  it("a path in a code span is reported when it does not exist", () => {
    assert.match(
      problemsOf("`packages/server/src/absent.ts`")[0] ?? "",
      /packages\/server\/src\/absent\.ts does not exist/,
    );
    assert.match(problemsOf("`node tools/absent.ts --check`")[0] ?? "", /tools\/absent\.ts does not exist/);
    assert.match(problemsOf("`tests/*/absent.ts`")[0] ?? "", /does not exist/);
  });

  it("a path in a code span that is not of the repository is ignored", () => {
    assert.deepEqual(
      problemsOf("`/v1/webhook/check` `src/index.ts` `text/plain` `a/b` `GET /admin/v1/agents`"),
      [],
    );
  });
});

describe("scripts and settings", () => {
  it("scripts and settings pass when they exist", () => {
    assert.deepEqual(
      problemsOf(
        "`npm run check`, `npm test`\n```sh\nDATABASE_URL=postgres://x npm run check\n```\n`DATABASE_URL`",
      ),
      [],
    );
    assert.deepEqual(
      problemsOf("`OTEL_EXPORTER_OTLP_ENDPOINT` `RESTATE_BIND_IP` `FILE_2_QA` `PORT` `TIMEOUT`"),
      [],
    );
  });

  it("scripts and settings are reported when they do not exist", () => {
    assert.match(problemsOf("`npm run deploy`")[0] ?? "", /no script "deploy"/);
    assert.match(problemsOf("```sh\nnpm start\n```")[0] ?? "", /^2: .*no script "start"/);
    assert.match(problemsOf("`DATABASE_URI`")[0] ?? "", /DATABASE_URI is no setting/);
    assert.match(problemsOf("`DATABASE_URI=x`")[0] ?? "", /DATABASE_URI is no setting/);
    assert.match(problemsOf("```sh\nexport POOL_SIZE=3\n```")[0] ?? "", /^2: POOL_SIZE is no setting/);
  });
});

describe("anchors", () => {
  it("anchors are headings in lower case with dashes, numbered when repeated, outside code", () => {
    const text =
      "# `npm run check`, twice\n## A & B\n## A & B\n```\n# no heading\n```\n### See [this](x.md)\n";
    assert.deepEqual([...anchorsOf(text)], ["npm-run-check-twice", "a--b", "a--b-1", "see-this"]);
  });
});

describe("pages of failures and causes", () => {
  it("a failure or cause without a page, or a page without one, is reported", () => {
    const problems = (pages: string[]) => checkPages("docs/errors", "failure", ["40000", "50000"], pages);
    assert.deepEqual(problems(["40000.md", "50000.md", "README.md"]), []);
    assert.deepEqual(
      problems(["40000.md", "40400.md"]).map(({ file, text }) => `${file}: ${text}`),
      [
        "docs/errors/50000.md: failure 50000 has no page: write what it means and what to do about it",
        "docs/errors/40400.md: there is no failure of this name: remove the page",
      ],
    );
  });
});

describe("names of ADRs", () => {
  it("the name of an ADR has a unique number and says what was decided", () => {
    assert.deepEqual(checkDecisionNames(["0001-truth-in-postgres.md", "0002-rooms.md", "README.md"]), []);
    assert.match(checkDecisionNames(["1-truth.md"])[0]?.text ?? "", /NNNN/);
    assert.match(checkDecisionNames(["0001-Truth.md"])[0]?.text ?? "", /lower case/);
    assert.match(checkDecisionNames(["0001-a.md", "0001-b.md"])[0]?.text ?? "", /taken by 0001-a\.md/);
  });
});

describe("translations", () => {
  const original = "# A\n\nRead [b](b.md).\n\n```sh\nnpm ci\n```\n\n## C\n";
  const problems = (text: string) => checkTranslation("README.zh-CN.md", text, original);

  it("a translation passes with the same headings, programs and links", () => {
    assert.deepEqual(problems("# 甲\n\n请看 [乙](b.md)。\n\n\n```sh\nnpm ci\n```\n\n## 丙\n"), []);
  });

  it("a translation is reported where it first differs", () => {
    const [program] = problems("# 甲\n\n[乙](b.md)\n```sh\nnpm i\n```\n## 丙\n");
    assert.deepEqual([program?.line, program?.text.includes("npm ci")], [5, true]);
    assert.match(problems("# 甲\n[乙](b.md)\n```sh\nnpm ci\n```\n")[0]?.text ?? "", /has here: ##/);
    assert.equal(problems("# 甲\n[丁](d.md)\n```sh\nnpm ci\n```\n## 丙\n")[0]?.line, 2);
  });
});

describe("titles of tests", () => {
  it("a title that the named test file lacks is reported with its line", () => {
    const tests: Record<string, string> = {
      "a.test.ts": 'it("one", run);\nit(`two`, run);',
      "b.test.ts": "",
    };
    const tested = {
      ...repository,
      exists: (path: string) => path in tests,
      read: (path: string) => tests[path] ?? "",
    };
    const page =
      "`a.test.ts`: *one*; *two*<br>`b.test.ts`: every test in it\n*none*\n`a.test.ts`: *three*<br>`b.test.ts`: *one*";
    assert.deepEqual(
      checkTitles("page.md", page, tested).map(({ line, text }) => `${line} ${text}`),
      [
        '3 a.test.ts has no test "three": name one that it has',
        '3 b.test.ts has no test "one": name one that it has',
      ],
    );
  });
});

describe("metrics", () => {
  it("a metric missing from the page or from the code is reported", () => {
    const problems = checkMetrics(
      "metrics.md",
      "| `signalbox_a` | gauge |\n| `signalbox_b` | gauge |\n",
      'name: "signalbox_a"\nname: "signalbox_c"\n',
    );
    assert.deepEqual(
      problems.map(({ text }) => text),
      ["signalbox_c is missing: add a row", "there is no metric signalbox_b: remove the row"],
    );
  });
});

describe("indexes", () => {
  it("an index is reported with each page that it does not link to", () => {
    const problems = checkIndex("docs/README.md", "[a](how-to/a.md#part) `[b](how-to/b.md)`", [
      "docs/README.md",
      "docs/how-to/a.md",
      "docs/how-to/b.md",
    ]);
    assert.deepEqual(
      problems.map(({ text }) => text),
      ["docs/how-to/b.md is not listed: add a row that links to it"],
    );
  });
});

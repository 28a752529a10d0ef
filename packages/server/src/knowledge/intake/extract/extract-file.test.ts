import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { docxOf, docxParts, workbookOf, xmlText, zipOf } from "@signalbox/tests/support/office-files.ts";
import { pdfOf } from "@signalbox/tests/support/pdf-files.ts";
import { INTAKE_LIMITS } from "../limits.ts";
import { extractFile, type ExtractOptions } from "./extract-file.ts";

let directory: string;
before(async () => void (directory = await mkdtemp(join(tmpdir(), "extract-"))));
after(() => rm(directory, { recursive: true }));

async function extract(fileName: string, content: string | Buffer, options: Partial<ExtractOptions> = {}) {
  const path = join(directory, crypto.randomUUID());
  await writeFile(path, content);
  return extractFile(
    { path, fileName, sizeBytes: 0, contentType: undefined },
    { splitter: undefined, chunkToken: 600, limits: INTAKE_LIMITS, ...options },
  );
}

async function extracted(...given: Parameters<typeof extract>) {
  const outcome = await extract(...given);
  assert.equal(outcome.kind, "extracted", JSON.stringify(outcome));
  assert.ok(outcome.kind === "extracted");
  return {
    ...outcome,
    asked: outcome.pairs.map(({ question, answer }) => [question, answer]),
    told: outcome.chunks.map(({ headingPath, text }) => [headingPath.join(" › "), text]),
  };
}

async function causeOf(...given: Parameters<typeof extract>) {
  const outcome = await extract(...given);
  return outcome.kind === "failed" ? outcome.cause : outcome.kind;
}

const ASKED = [["Do you ship abroad?", "Yes, to every country we know of."]];
const TOLD = [["Guide › Contact", "Write to us whenever you like."]];

describe("extracting a document", () => {
  const paragraphs = [
    { heading: 1 as const, text: "Guide" },
    { heading: 2 as const, text: "1.1 Do you ship abroad?" },
    { text: "Yes, to every country we know of." },
    { heading: 2 as const, text: "Contact" },
    { text: "Write to us whenever you like." },
  ];
  const files: [string, string | Buffer][] = [
    [
      "guide.html",
      paragraphs
        .map(({ heading, text }) =>
          heading === undefined ? `<p>${text}` : `<h${heading}>${text}</h${heading}>`,
        )
        .join("\n"),
    ],
    [
      "guide.md",
      paragraphs
        .map(({ heading, text }) => (heading === undefined ? text : `${"#".repeat(heading)} ${text}`))
        .join("\n\n"),
    ],
    ["guide.docx", docxOf(paragraphs)],
    [
      "guide.pdf",
      pdfOf([
        paragraphs.map(({ heading, text }) =>
          heading === undefined ? { text } : { text, size: heading === 1 ? 24 : 14, gap: 40 },
        ),
      ]),
    ],
    [
      "guide.txt",
      "Guide\n=====\n\n1.1. Do you ship abroad?\n\nYes, to every country we know of.\n\nContact\n-------\n\nWrite to us whenever you like.\n",
    ],
  ];
  for (const [fileName, content] of files) {
    it(`${fileName} is read with its questions word for word and the rest under its headings`, async () => {
      const { asked, told } = await extracted(fileName, content);
      assert.deepEqual(asked, ASKED);
      assert.deepEqual(told, TOLD);
    });
  }

  it("the format of a document is detected by its bytes, not its name", async () => {
    assert.deepEqual((await extracted("guide.txt", docxOf(paragraphs))).asked, ASKED);
  });

  it("tables with questions and answers are read as pairs, others row by row", async () => {
    assert.deepEqual((await extracted("faq.csv", 'question,answer\nWhen?,"At nine, \nor ten."\n')).asked, [
      ["When?", "At nine, \nor ten."],
    ]);
    assert.deepEqual((await extracted("prices.csv", "item;price\nchair;5\ntable;9\n")).told, [
      ["", "item: chair\nprice: 5\n\nitem: table\nprice: 9"],
    ]);
    const { told } = await extracted(
      "prices.xlsx",
      workbookOf({
        One: [
          ["item", "price"],
          ["chair", 5],
        ],
        Two: [
          ["item", "price"],
          ["lamp", 7],
        ],
      }),
    );
    assert.deepEqual(told, [
      ["One", "item: chair\nprice: 5"],
      ["Two", "item: lamp\nprice: 7"],
    ]);
  });

  it("a Word document is read as its reader sees it", async () => {
    const text = (words: string, properties = "") =>
      `<w:r>${properties}<w:t xml:space="preserve">${xmlText(words)}</w:t></w:r>`;
    const body = `<w:p>${text("A & ")}<w:ins>${text("new")}</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:moveFrom>${text("gone")}</w:moveFrom></w:p>
      <w:p><w:pPr><w:numPr/></w:pPr>${text("item")}</w:p>
      <w:tbl><w:tr><w:tc><w:p>${text("a")}</w:p></w:tc><w:tc><w:p>${text("b")}</w:p><w:p>${text("c")}</w:p></w:tc></w:tr></w:tbl>
      <w:p>${text("Do you ship", "<w:rPr><w:b/></w:rPr>")}${text("?", '<w:rPr><w:b w:val="1"/></w:rPr>')}</w:p><w:p>${text("Yes.")}<w:br/>${text("Soon.")}</w:p>
      <w:p>${text("How much", "<w:rPr><w:b/></w:rPr>")}</w:p><w:p>${text("Five.")}</w:p>`;
    const { asked, told } = await extracted("a.docx", zipOf(docxParts(body)));
    assert.deepEqual(asked, [
      ["Do you ship?", "Yes.\nSoon."],
      ["How much", "Five."],
    ]);
    assert.deepEqual(told, [["", "A & new\n\n- item\n\na | b c"]]);
  });

  it("a pair has the page it comes from, or the line where there are lines", async () => {
    const pdf = await extracted(
      "a.pdf",
      pdfOf([
        [{ text: "Intro that is long enough to count." }],
        [
          { text: "Do you ship?", size: 18 },
          { text: "Yes, we do ship everywhere.", gap: 30 },
        ],
      ]),
    );
    assert.equal(pdf.pairs[0]?.source?.page, 2);
    assert.equal((await extracted("a.md", "\n# Do you ship?\n\nYes.\n")).pairs[0]?.source?.line, 2);
  });

  it("an HTML page is read in the charset it names", async () => {
    const page = Buffer.concat([
      Buffer.from('<meta charset="windows-1251"><h2>'),
      Buffer.from([0xca, 0xe0, 0xea]),
      Buffer.from("?</h2><p>OK"),
    ]);
    assert.deepEqual((await extracted("a.html", page)).asked, [["Как?", "OK"]]);
  });
});

describe("splitting as the caller says", () => {
  it("a literal splitter wins over headings and tokens", async () => {
    const { told } = await extracted("a.md", "# A\n\none\n\n## B\n\ntwo\n======\nthree\n======\n", {
      splitter: "======",
    });
    assert.deepEqual(told, [
      ["A", "# A\n\none\n\n## B\n\ntwo"],
      ["", "three"],
    ]);
  });

  it("a splitter may be written with escapes", async () => {
    assert.deepEqual(
      (await extracted("a.txt", "one\ttwo\tthree", { splitter: "\\t" })).told.map(([, text]) => text),
      ["one", "two", "three"],
    );
  });

  it("a piece over the token limit is split further without loss", async () => {
    const words = Array.from({ length: 500 }, (_, index) => `word${index}`);
    const { chunks } = await extracted("a.txt", `${words.join(" ")}\n@@\nend`, {
      splitter: "@@",
      chunkToken: 100,
    });
    assert.ok(chunks.length > 10);
    assert.ok(chunks.every(({ tokens }) => tokens <= 100));
    assert.deepEqual(
      chunks.flatMap(({ text }) => text.split(/\s+/)),
      [...words, "end"],
    );
  });

  it("questions are taken word for word from each piece", async () => {
    assert.deepEqual(
      (await extracted("a.txt", "Q: Ship?\nA: Yes.@@Q: When?\nA: Now.", { splitter: "@@" })).asked,
      [
        ["Ship?", "Yes."],
        ["When?", "Now."],
      ],
    );
  });

  it("a chunk_token that is too small is raised, with a problem that says so", async () => {
    const { chunks, problems } = await extracted("a.txt", "word ".repeat(200), { chunkToken: 1 });
    assert.ok(chunks.length < 10);
    assert.equal(problems[0]?.cause, "chunk_token_raised");
  });

  it("a chunk_token above what a model reads at once is lowered, with a problem that says so", async () => {
    const words = "Some words of a long chapter that goes on. ".repeat(1_500);
    const { chunks, problems } = await extracted("a.txt", words, { chunkToken: 1_000_000 });
    assert.ok(chunks.length > 1 && chunks.every(({ tokens }) => tokens <= 4_000));
    assert.ok(chunks.some(({ tokens }) => tokens > 1_000));
    assert.equal(problems[0]?.cause, "chunk_token_lowered");
    assert.match(problems[0]?.detail ?? "", /1000000 was lowered to 4000/);
  });
});

describe("unreadable documents", () => {
  const cases: [string, string, string | Buffer, string][] = [
    ["an empty file", "a.txt", "", "empty"],
    ["a file of blanks", "a.txt", " \n ", "empty"],
    ["a scan", "a.pdf", pdfOf([[{ text: "1" }], [{ text: "2" }]]), "no_text_layer"],
    ["a broken PDF", "a.pdf", "%PDF-1.7\nnothing of the kind", "unreadable"],
    ["a broken Word document", "a.docx", docxOf([{ text: "x" }]).subarray(0, 200), "wrong_type"],
    [
      "an old Word document",
      "a.doc",
      Buffer.from("d0cf11e0a1b11ae1".padEnd(1_100, "0"), "hex"),
      "wrong_type",
    ],
    ["a picture", "a.txt", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), "wrong_type"],
    ["a zip of something", "a.docx", zipOf([{ name: "x.txt", content: "x" }]), "wrong_type"],
  ];
  for (const [what, fileName, content, cause] of cases) {
    it(`extraction of ${what} fails as ${cause}`, async () =>
      assert.equal(await causeOf(fileName, content), cause));
  }
});

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { docxParts, sheetXml, workbookParts, zipOf } from "@signalbox/tests/support/office-files.ts";
import { pdfOfStreams } from "@signalbox/tests/support/pdf-files.ts";

const SECONDS_MAX = 10;
const MEGABYTES_MAX = 600;
const MEGABYTE = 1_048_576;

let directory: string;
before(async () => void (directory = await mkdtemp(join(tmpdir(), "hostile-"))));
after(() => rm(directory, { recursive: true }));

/** Text that packs a few times, as a person's does, and not a thousandfold: packers look back 32 KB at most. */
function prose(bytes: number): string {
  let seed = 7;
  const words: string[] = [];
  for (let size = 0; size < 131_072; size += 8) {
    seed = (seed * 48_271) % 2_147_483_647;
    words.push((seed % 60_466_176).toString(36).padStart(7, "w"));
  }
  const block = `${words.join(" ")} `;
  return block.repeat(Math.ceil(bytes / block.length));
}

interface Measured {
  ended: string;
  seconds: number;
  cpuSeconds: number;
  megabytes: number;
  answered: number;
  slowestMs: number;
}

/** A process of its own, so that its memory is its own: it reads the file and answers others meanwhile. */
const READER = `
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extractFile } from "${new URL("./extract/extract-file.ts", import.meta.url).href}";
import { INTAKE_LIMITS as limits } from "${new URL("./limits.ts", import.meta.url).href}";
import { readQaFile } from "${new URL("./qa/read-qa-file.ts", import.meta.url).href}";
const { file, as } = JSON.parse(process.argv[1]);
const server = createServer((_, response) => response.end("here"));
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
let slowestMs = 0, answered = 0, isOver = false;
const asking = (async () => {
  while (!isOver) {
    const askedAt = performance.now();
    if ((await (await fetch("http://127.0.0.1:" + server.address().port)).text()) !== "here") throw new Error("no answer");
    slowestMs = Math.max(slowestMs, performance.now() - askedAt);
    answered += 1;
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
})();
const startedAt = performance.now();
const result = as === "pairs"
  ? await readQaFile(file, { headerRow: undefined, splitter: undefined, limits }, async () => {})
  : await extractFile(file, { splitter: undefined, chunkToken: 600, limits });
const seconds = (performance.now() - startedAt) / 1000;
isOver = true;
await asking;
const { userCPUTime, systemCPUTime } = process.resourceUsage();
// Not maxRSS, which a process inherits from whoever started it.
const megabytes = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]) / 1024;
const ended = result.kind === "failed" ? result.cause : result.kind;
console.log(JSON.stringify({ ended, seconds, cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, megabytes, answered, slowestMs }));
process.exit();
`;

async function readInOwnProcess(file: object, as: string | undefined): Promise<Measured> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "-e", READER, JSON.stringify({ file, as })],
    { timeout: 120_000 },
  );
  return JSON.parse(stdout) as Measured;
}

type Case = { what: string; fileName: string; content: () => Buffer | string; ends: string[]; as?: "pairs" };

const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const far =
  '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>';

const CASES: Case[] = [
  {
    what: "a Word document that swells a thousandfold",
    fileName: "a.docx",
    content: () => zipOf(docxParts(paragraph("a").repeat(4_000_000))),
    ends: ["zip_refused"],
  },
  {
    what: "a Word document of 6 MB that packs like prose",
    fileName: "a.docx",
    content: () => zipOf(docxParts(paragraph(prose(6 * MEGABYTE)))),
    ends: ["too_complex", "extracted", "too_large", "too_slow"],
  },
  {
    what: "a Word document of 200,000 paragraphs",
    fileName: "a.docx",
    content: () =>
      zipOf(
        docxParts(
          prose(8 * MEGABYTE)
            .split(" ")
            .slice(0, 200_000)
            .map(paragraph)
            .join(""),
        ),
      ),
    ends: ["extracted", "too_large", "too_complex"],
  },
  {
    what: "an archive that lies about its size",
    fileName: "a.docx",
    content: () =>
      zipOf(
        docxParts(paragraph(prose(20 * MEGABYTE))).map((part) =>
          part.name === "word/document.xml" ? { ...part, statedBytes: 1_000 } : part,
        ),
      ),
    ends: ["zip_broken"],
  },
  {
    what: "an archive of 10,000 parts",
    fileName: "a.docx",
    content: () =>
      zipOf([
        ...docxParts(paragraph("x")),
        ...Array.from({ length: 10_000 }, (_, at) => ({ name: `x${at}`, content: "" })),
      ]),
    ends: ["zip_refused"],
  },
  {
    what: "a workbook with one cell in its farthest corner",
    fileName: "a.xlsx",
    content: () => zipOf(workbookParts([["S", far]])),
    ends: ["too_complex", "too_slow", "unreadable", "extracted", "no_rows"],
  },
  {
    what: "a workbook of 60,000 rows",
    fileName: "a.xlsx",
    as: "pairs",
    content: () =>
      zipOf(
        workbookParts([
          [
            "S",
            sheetXml(
              prose(16 * MEGABYTE)
                .split(" ")
                .slice(0, 60_000)
                .map((word, at) => [`${word} ${at}`, word]),
            ),
          ],
        ]),
      ),
    ends: ["too_complex", "too_slow", "too_many_pairs", "read"],
  },
  {
    what: "HTML nested 50,000 deep",
    fileName: "a.html",
    content: () => `${"<div>".repeat(50_000)}x${"</div>".repeat(50_000)}`,
    ends: ["extracted"],
  },
  {
    what: "HTML of a million unclosed tags",
    fileName: "a.html",
    content: () => "<ul><li><b><table><tr><td>x".repeat(200_000),
    ends: ["extracted", "too_large"],
  },
  {
    what: "a page with JSON nested 500,000 deep",
    fileName: "a.html",
    content: () => `<p>x<script type="application/ld+json">${"[".repeat(500_000)}</script>`,
    ends: ["extracted"],
  },
  {
    what: "Markdown of quote marks, brackets and stars",
    fileName: "a.md",
    content: () => `${">".repeat(300_000)}\n# ${"[a](".repeat(100_000)}\n${"*a **b ".repeat(100_000)}`,
    ends: ["extracted", "too_large"],
  },
  { what: "50,000 equal letters", fileName: "a.txt", content: () => "a".repeat(50_000), ends: ["extracted"] },
  {
    what: "4 MB of one letter",
    fileName: "a.txt",
    content: () => "a".repeat(4 * MEGABYTE),
    ends: ["extracted", "too_large", "too_slow", "too_complex"],
  },
  {
    what: "a million short lines",
    fileName: "a.txt",
    content: () => "1.1 a\n\nQ: b\nA: c\n\n?\n".repeat(150_000),
    ends: ["extracted", "too_large", "too_complex"],
  },
  {
    what: "a PDF whose page swells to 200 MB",
    fileName: "a.pdf",
    content: () => pdfOfStreams([Buffer.alloc(200 * MEGABYTE, " ")]),
    ends: ["too_complex", "no_text_layer", "too_slow", "unreadable"],
  },
  {
    what: "a PDF with five million words on a page",
    fileName: "a.pdf",
    content: () => pdfOfStreams([Buffer.from(`BT /F1 9 Tf ${"(word) Tj ".repeat(5_000_000)} ET`)]),
    ends: ["too_complex", "too_slow", "extracted"],
  },
  {
    what: "a CSV of 20 MB behind a quote that is never closed",
    fileName: "a.csv",
    as: "pairs",
    content: () => `q,a\nx,"${prose(20 * MEGABYTE)}`,
    ends: ["unclosed_quote"],
  },
  {
    what: "a CSV of one line of 20 MB",
    fileName: "a.csv",
    as: "pairs",
    content: () => `q,a\nx,${prose(20 * MEGABYTE)}`,
    ends: ["record_too_large"],
  },
  {
    what: "a CSV row of 400,000 fields",
    fileName: "a.csv",
    as: "pairs",
    content: () => `q,a\nx,y\n${"z,".repeat(400_000)}\nx2,y2\n`,
    ends: ["read"],
  },
  {
    what: "a CSV of nothing but quotes",
    fileName: "a.csv",
    as: "pairs",
    content: () => '"'.repeat(5_000_000),
    ends: ["no_answer_column", "unclosed_quote", "record_too_large"],
  },
];

describe("files made to hurt", () => {
  for (const { what, fileName, content, ends, as } of CASES) {
    it(`${what}: ended in time and in bounds, while others are answered`, async (context) => {
      const path = join(directory, "file");
      await writeFile(path, content());
      const file = { path, fileName, sizeBytes: (await stat(path)).size, sha256: "", contentType: undefined };
      const { ended, seconds, cpuSeconds, slowestMs, answered, megabytes } = await readInOwnProcess(file, as);
      context.diagnostic(
        `${ended}: ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU, ${megabytes.toFixed(0)} MB, slowest of ${answered} answers ${slowestMs.toFixed(0)} ms`,
      );
      assert.ok(ends.includes(ended), ended);
      // On a busy machine the clock counts the work of others; what the file itself cost does not change.
      assert.ok(Math.min(seconds, cpuSeconds) < SECONDS_MAX, `${seconds} s, ${cpuSeconds} s of CPU`);
      assert.ok(megabytes < MEGABYTES_MAX, `${megabytes} MB`);
      assert.ok(slowestMs < 1_000, `somebody waited ${slowestMs} ms`);
    });
  }
});

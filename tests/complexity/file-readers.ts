import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { deflateSync } from "node:zlib";
import { docxParts, sheetXml, workbookParts, zipOf } from "../support/office-files.ts";
import { pdfOf, pdfOfStreams } from "../support/pdf-files.ts";
import { textFamilies } from "./hostile-texts.ts";

/** A file of one kind that grows with `size`, whatever that counts. */
export interface FileFamily {
  name: string;
  fileName: string;
  of: (size: number) => Buffer | string;
  size: number;
}

const MEGABYTE = 1_048_576;
const TEXT_CHARACTERS = 64_000;

const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const times = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: Math.max(1, Math.round(count)) }, (_, index) => item(index));

/** A stream that stays just below what one may unpack to. */
let packedStream: Buffer | undefined;
function bigStream(): Buffer {
  packedStream ??= deflateSync(Buffer.alloc(31 * MEGABYTE, " "), { level: 9 });
  return Buffer.concat([
    Buffer.from("\n9 0 obj\n<< >>\nstream\n"),
    packedStream,
    Buffer.from("\nendstream\n"),
  ]);
}

/** What the readers of text find hard as a whole file, with its sections, questions and chunks. */
const WHOLE_FILE =
  /^(?:repeats of (?:"\*\*"|"<a "|"&#"|">"|"\\""|"Q: "|"\\n"|"\\t"|"1\."|"们"|"。"|"a")|stairs of|distinct (?:words|lines)|"<(?:ul|table)[^"]*" nested, 50 %|"\\"," before)/;

const packed: FileFamily[] = [
  {
    name: "PDF streams of 31 MB each",
    fileName: "a.pdf",
    of: (size) => Buffer.concat([pdfOf([[{ text: "When?" }]]), ...times(size, bigStream)]),
    size: 32,
  },
  {
    name: "PDF pages",
    fileName: "a.pdf",
    of: (size) =>
      pdfOf(times(size, (page) => [{ text: `When do you open shop ${page}?` }, { text: "At 10." }])),
    size: 80,
  },
  {
    name: "words on one PDF page",
    fileName: "a.pdf",
    of: (size) => pdfOfStreams([Buffer.from(`BT /F1 9 Tf ${"(word) Tj ".repeat(size)} ET`)]),
    size: 8_000,
  },
  {
    name: "Word paragraphs",
    fileName: "a.docx",
    of: (size) => zipOf(docxParts(times(size, (at) => paragraph(`When do you open shop ${at}?`)).join(""))),
    size: 8_000,
  },
  {
    name: "Word tables within each other",
    fileName: "a.docx",
    of: (size) =>
      zipOf(
        docxParts(
          `${"<w:tbl><w:tr><w:tc>".repeat(size)}${paragraph("x")}${"</w:tc></w:tr></w:tbl>".repeat(size)}`,
        ),
      ),
    size: 16_000,
  },
  {
    name: "rows of a workbook",
    fileName: "a.xlsx",
    of: (size) =>
      zipOf(workbookParts([["S", sheetXml(times(size, (at) => [`When do you open ${at}?`, "At 10."]))]])),
    size: 4_000,
  },
  {
    name: "columns of a workbook",
    fileName: "a.xlsx",
    of: (size) => zipOf(workbookParts([["S", sheetXml([times(size, (at) => `c${at}`)])]])),
    size: 4_000,
  },
  {
    name: "sheets of a workbook",
    fileName: "a.xlsx",
    of: (size) => zipOf(workbookParts(times(size, (at) => [`S${at}`, sheetXml([["q", "a"]])]))),
    size: 200,
  },
];

export function fileFamilies(): FileFamily[] {
  const hard = textFamilies().filter(({ name }) => WHOLE_FILE.test(name));
  const text = ["txt", "md", "html", "csv"].flatMap((kind) =>
    hard.map(({ name, of }) => ({
      name: `${kind}: ${name}`,
      fileName: `a.${kind}`,
      of: (size: number) => (kind === "html" ? `<html><body>${of(size)}` : of(size)),
      size: TEXT_CHARACTERS,
    })),
  );
  return [...packed, ...text];
}

interface Read {
  kind: string;
  cause?: string;
  detail?: string;
}

/** What the worker of a file does, here without the worker, so that its CPU can be counted. */
export async function openFileReader() {
  const server = join(import.meta.dirname, "../../packages/server/src/knowledge/intake");
  const load = async (file: string) =>
    (await import(pathToFileURL(join(server, file)).href)) as Record<string, unknown>;
  const extract = (await load("extract/extract.ts"))["extract"] as (job: object) => Promise<Read>;
  const limits = (await load("limits.ts"))["INTAKE_LIMITS"];
  const directory = mkdtempSync(join(tmpdir(), "complexity-"));
  return {
    /** Writes the file now, and gives what reads it. */
    prepare(fileName: string, content: Buffer | string) {
      const path = join(directory, fileName);
      writeFileSync(path, content);
      return async () => {
        const job = { path, fileName, contentType: undefined, splitter: undefined, chunkToken: 600, limits };
        const read = await extract(job);
        if (read.detail?.includes("call stack") === true) throw new RangeError(read.detail);
        return read;
      };
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true }),
  };
}

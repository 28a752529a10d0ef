import { docxParts, sheetXml, workbookParts, zipOf } from "./office-files.ts";
import { pdfOfStreams } from "./pdf-files.ts";

/** A file made to hurt its reader, and how reading it may end. */
export interface HostileFile {
  what: string;
  fileName: string;
  content: () => Buffer | string;
  /** Causes of failure, or how a file is read after all. */
  ends: string[];
  /** Read as a file of pairs; a document to convert when left out. */
  as?: "pairs";
}

const MEGABYTE = 1_048_576;

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

const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const far =
  '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>';

const HOSTILE_FILES: HostileFile[] = [
  {
    what: "an export of 5 million empty pairs",
    fileName: "a.json",
    content: () => `{"documents":[{"pairs":[${"{},".repeat(5_000_000)}{}]}]}`,
    ends: ["too_complex"],
    as: "pairs",
  },
  {
    what: "an export of 20 million brackets that open",
    fileName: "a.json",
    content: () => `{"documents":[${"[".repeat(20_000_000)}`,
    ends: ["too_complex", "not_an_export"],
    as: "pairs",
  },
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

export const HOSTILE_FILE_MS_MAX = 10_000;

/** One file of each `oneIn`: all take minutes on a small machine. With SIGNALBOX_TEST_HOSTILE=all it is all of them. */
export function hostileFiles(oneIn: number): HostileFile[] {
  const isWhole = process.env["SIGNALBOX_TEST_HOSTILE"] === "all";
  return isWhole ? HOSTILE_FILES : HOSTILE_FILES.filter((_, index) => index % oneIn === 1);
}

import { literalCell } from "@signalbox/contract";
import type { PairTexts } from "../pairs/pair-versions.ts";
import { zipStream } from "./zip-stream.ts";

/** More does not fit into a cell of a spreadsheet. */
const CELL_CHARACTERS_MAX = 32_767;
/** An alternate may be so long, in UTF-16: it begins a new cell where it does not fit into the last one. */
const ALTERNATE_CHARACTERS_MAX = 2_000;

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const FORMATS = "http://schemas.openxmlformats.org";
const RELATIONS = `${FORMATS}/officeDocument/2006/relationships`;
const SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml";

const PARTS = {
  "[Content_Types].xml": `<Types xmlns="${FORMATS}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEET}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${SHEET}.worksheet+xml"/></Types>`,
  "_rels/.rels": relations("officeDocument", "xl/workbook.xml"),
  "xl/workbook.xml": `<workbook xmlns="${FORMATS}/spreadsheetml/2006/main" xmlns:r="${RELATIONS}"><sheets><sheet name="Pairs" sheetId="1" r:id="r1"/></sheets></workbook>`,
  "xl/_rels/workbook.xml.rels": relations("worksheet", "worksheets/sheet1.xml"),
};

function relations(type: string, target: string): string {
  return `<Relationships xmlns="${FORMATS}/package/2006/relationships"><Relationship Id="r1" Type="${RELATIONS}/${type}" Target="${target}"/></Relationships>`;
}

/** Every cell is a text and never a formula, whatever it begins with. */
export function writeWorkbook(
  pairs: AsyncIterable<PairTexts>,
  { alternatesBytes }: { alternatesBytes: number },
): AsyncGenerator<Buffer> {
  const alternateColumns = Math.max(
    1,
    Math.ceil(alternatesBytes / (CELL_CHARACTERS_MAX - ALTERNATE_CHARACTERS_MAX)),
  );
  return zipStream([
    ...Object.entries(PARTS).map(([name, xml]) => ({ name, content: HEAD + xml })),
    { name: "xl/worksheets/sheet1.xml", content: sheet(pairs, alternateColumns) },
  ]);
}

async function* sheet(pairs: AsyncIterable<PairTexts>, alternateColumns: number): AsyncGenerator<string> {
  yield `${HEAD}<worksheet xmlns="${FORMATS}/spreadsheetml/2006/main"><sheetData>`;
  const similar = Array.from({ length: alternateColumns }, () => "similar questions");
  yield row(1, ["question", "answer", ...similar, "tags"]);
  let number = 1;
  for await (const { question, answer, alternates, tags } of pairs) {
    const cells = cellsOf(alternates);
    const others = similar.map((_, index) => cells[index] ?? "");
    yield row(++number, [...[question, answer, ...others].map(literalCell), tags.join(", ")]);
  }
  yield "</sheetData></worksheet>";
}

function row(number: number, cells: string[]): string {
  const written = cells.map((text, index) =>
    text === ""
      ? ""
      : `<c r="${String.fromCodePoint(65 + index)}${number}" t="inlineStr"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`,
  );
  return `<row r="${number}">${written.join("")}</row>`;
}

/** One alternate a line, as an import reads them. */
function cellsOf(alternates: string[]): string[] {
  const cells: string[] = [];
  for (const alternate of alternates.map(onOneLine)) {
    const last = cells.at(-1);
    if (last !== undefined && last.length + alternate.length + 1 <= CELL_CHARACTERS_MAX)
      cells[cells.length - 1] = `${last}\n${alternate}`;
    else cells.push(alternate);
  }
  return cells;
}

export function onOneLine(alternate: string): string {
  return alternate
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .join(" ");
}

const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\r": "&#13;",
};

/** XML has no way to write most control characters. */
function xmlText(text: string): string {
  return text
    .replaceAll(/[&<>\r]/g, (character) => ESCAPES[character] ?? "")
    .replaceAll(/(?![\t\n\r])\p{Cc}|[\uFFFE\uFFFF]/gu, "");
}

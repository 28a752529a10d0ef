import { crc32, deflateRawSync } from "node:zlib";

export interface ZipPart {
  name: string;
  content: string | Buffer;
  /** What the archive says of the part's size, where it lies. */
  statedBytes?: number;
}

/** An archive as an Office program would write it, or as somebody would forge it. */
export function zipOf(parts: ZipPart[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, statedBytes } of parts) {
    const plain = Buffer.from(content);
    const packed = deflateRawSync(plain);
    const fileName = Buffer.from(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(plain), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(statedBytes ?? plain.length, 18);
    fields.writeUInt16LE(fileName.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const body = Buffer.concat([Buffer.from("PK\u0003\u0004"), fields, fileName, packed]);
    directory.push(Buffer.from("PK\u0001\u0002\u0014\u0000"), fields, place, fileName);
    bodies.push(body);
    offset += body.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006");
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, list, end]);
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const FORMATS = "http://schemas.openxmlformats.org";
const PACKAGE = `${FORMATS}/package/2006`;
const RELATIONS = `${FORMATS}/officeDocument/2006/relationships`;
const MAIN = "application/vnd.openxmlformats-officedocument";

export function xmlText(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

function relations(entries: { id: string; type: string; target: string }[]): string {
  const list = entries.map(
    ({ id, type, target }) => `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${target}"/>`,
  );
  return `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${list.join("")}</Relationships>`;
}

function contentTypes(overrides: Record<string, string>): string {
  const list = Object.entries(overrides).map(
    ([part, type]) => `<Override PartName="${part}" ContentType="${MAIN}.${type}+xml"/>`,
  );
  return `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${list.join("")}</Types>`;
}

export type Cell = string | number;

export function workbookOf(sheets: Record<string, Cell[][]>): Buffer {
  return zipOf(workbookParts(Object.entries(sheets).map(([name, rows]) => [name, sheetXml(rows)])));
}

export function workbookParts(sheets: [name: string, xml: string][]): ZipPart[] {
  const listed = sheets.map(
    ([name], index) => `<sheet name="${xmlText(name)}" sheetId="${index + 1}" r:id="r${index + 1}"/>`,
  );
  return [
    {
      name: "[Content_Types].xml",
      content: contentTypes({ "/xl/workbook.xml": "spreadsheetml.sheet.main" }),
    },
    {
      name: "_rels/.rels",
      content: relations([{ id: "r1", type: "officeDocument", target: "xl/workbook.xml" }]),
    },
    {
      name: "xl/workbook.xml",
      content: `${HEAD}<workbook xmlns="${FORMATS}/spreadsheetml/2006/main" xmlns:r="${RELATIONS}"><sheets>${listed.join("")}</sheets></workbook>`,
    },
    {
      name: "xl/_rels/workbook.xml.rels",
      content: relations(
        sheets.map((_, index) => ({
          id: `r${index + 1}`,
          type: "worksheet",
          target: `worksheets/sheet${index + 1}.xml`,
        })),
      ),
    },
    ...sheets.map(([, xml], index) => ({ name: `xl/worksheets/sheet${index + 1}.xml`, content: xml })),
  ];
}

export function sheetXml(rows: Cell[][]): string {
  const written = rows.map((row, index) => {
    const cells = row.map((value, column) => {
      const at = `${String.fromCodePoint(65 + column)}${index + 1}`;
      return typeof value === "number"
        ? `<c r="${at}"><v>${value}</v></c>`
        : `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${xmlText(value)}</t></is></c>`;
    });
    return `<row r="${index + 1}">${cells.join("")}</row>`;
  });
  return `${HEAD}<worksheet xmlns="${FORMATS}/spreadsheetml/2006/main"><sheetData>${written.join("")}</sheetData></worksheet>`;
}

export type Paragraph = { heading?: 1 | 2 | 3 | 4; text: string };

export function docxOf(paragraphs: Paragraph[]): Buffer {
  return zipOf(docxParts(paragraphs.map(paragraphXml).join("")));
}

export function docxParts(body: string): ZipPart[] {
  const namespace = `xmlns:w="${FORMATS}/wordprocessingml/2006/main"`;
  const styles = [1, 2, 3, 4].map(
    (level) =>
      `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`,
  );
  return [
    {
      name: "[Content_Types].xml",
      content: contentTypes({
        "/word/document.xml": "wordprocessingml.document.main",
        "/word/styles.xml": "wordprocessingml.styles",
      }),
    },
    {
      name: "_rels/.rels",
      content: relations([{ id: "r1", type: "officeDocument", target: "word/document.xml" }]),
    },
    {
      name: "word/_rels/document.xml.rels",
      content: relations([{ id: "r1", type: "styles", target: "styles.xml" }]),
    },
    { name: "word/styles.xml", content: `${HEAD}<w:styles ${namespace}>${styles.join("")}</w:styles>` },
    {
      name: "word/document.xml",
      content: `${HEAD}<w:document ${namespace}><w:body>${body}</w:body></w:document>`,
    },
  ];
}

function paragraphXml({ heading, text }: Paragraph): string {
  const style = heading === undefined ? "" : `<w:pPr><w:pStyle w:val="Heading${heading}"/></w:pPr>`;
  const lines = text.split("\n").map((line) => `<w:t xml:space="preserve">${xmlText(line)}</w:t>`);
  return `<w:p>${style}<w:r>${lines.join("<w:br/>")}</w:r></w:p>`;
}

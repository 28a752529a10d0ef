import { fileURLToPath } from "node:url";
import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import { failed, type FileFailure } from "../outcome.ts";
import type { PageLine } from "./page-layout.ts";
import { isSwollen } from "./pdf-streams.ts";

const LETTERS_A_PAGE_MIN = 20;
const PAGES_MAX = 5_000;

interface TextItem {
  str: string;
  transform: number[];
  width: number;
  fontName: string;
  hasEOL: boolean;
}

/** The lines of a PDF with their places and sizes. A scan has none, and is said to have none. */
export async function readPdfLines(
  bytes: Uint8Array,
): Promise<{ kind: "lines"; lines: PageLine[] } | FileFailure> {
  if (isSwollen(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)))
    return failed("too_complex", "the PDF decompresses to more data than a page, or a whole file, can have");
  const loading = getDocument({
    data: bytes,
    disableFontFace: true,
    useSystemFonts: false,
    stopAtErrors: false,
    verbosity: 0,
    // Without these the text of many Chinese, Japanese and Korean files has no letters.
    cMapUrl: fileURLToPath(new URL("../../cmaps/", import.meta.resolve("pdfjs-dist/legacy/build/pdf.mjs"))),
    cMapPacked: true,
  });
  const lines: PageLine[] = [];
  let pages = 0;
  try {
    const document = await loading.promise;
    pages = document.numPages;
    if (pages > PAGES_MAX) return failed("too_complex", `the file has more than ${PAGES_MAX} pages`);
    for (let number = 1; number <= pages; number += 1) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      lines.push(
        ...linesOf(
          items.filter((item) => "str" in item),
          number,
        ),
      );
      page.cleanup();
    }
  } catch (error) {
    if (error instanceof Error && error.name === "PasswordException")
      return failed("encrypted", "the file is protected by a password");
    return failed("unreadable", `the PDF cannot be read: ${error instanceof Error ? error.message : ""}`);
  } finally {
    await loading.destroy();
  }
  const letters = lines.reduce((sum, { text }) => sum + (text.match(/\p{L}/gu)?.length ?? 0), 0);
  if (letters < LETTERS_A_PAGE_MIN * Math.min(pages, 50))
    return failed(
      "no_text_layer",
      "the file holds pictures of text, not text: it would have to be recognised first",
    );
  return { kind: "lines", lines };
}

function linesOf(items: TextItem[], page: number): PageLine[] {
  const lines: PageLine[] = [];
  let current:
    | (PageLine & { end: number; sizes: Map<number, number>; fonts: Map<string, number> })
    | undefined;
  for (const { str, transform, width, fontName } of items) {
    const [, , skew = 0, height = 0, x = 0, y = 0] = transform;
    const size = Math.round(Math.hypot(skew, height) * 10) / 10;
    if (str === "") continue;
    const isSameLine =
      current !== undefined && Math.abs(current.y - y) <= Math.max(2, size * 0.3) && x >= current.x;
    if (current === undefined || !isSameLine) {
      if (str.trim() === "") continue;
      current = { page, text: "", x, y, size, font: fontName, end: x, sizes: new Map(), fonts: new Map() };
      lines.push(current);
    }
    const isApart = x - current.end > size * 0.2 && !current.text.endsWith(" ") && !str.startsWith(" ");
    current.text += (isApart && current.text !== "" ? " " : "") + str;
    current.end = x + width;
    const weight = str.trim().length;
    current.sizes.set(size, (current.sizes.get(size) ?? 0) + weight);
    current.fonts.set(fontName, (current.fonts.get(fontName) ?? 0) + weight);
    current.size = commonest(current.sizes, size);
    current.font = commonest(current.fonts, fontName);
  }
  return lines.map(({ text, x, y, size, font }) => ({
    page,
    text: text.replace(/\s+/g, " ").trim(),
    x,
    y,
    size,
    font,
  }));
}

function commonest<Key>(counts: Map<Key, number>, otherwise: Key): Key {
  let best = otherwise;
  let most = 0;
  for (const [key, count] of counts) {
    if (count <= most) continue;
    best = key;
    most = count;
  }
  return best;
}

import { open, readFile, stat } from "node:fs/promises";
import type { FileKind } from "../file-kind.ts";
import type { IntakeLimits } from "../limits.ts";
import { failed, type FileFailure, type FileProblem } from "../outcome.ts";
import { findCharset } from "../text/charset.ts";
import { readText } from "../text/decode.ts";
import type { Block } from "./block.ts";

export interface ReadBlocks {
  kind: "blocks";
  blocks: Block[];
  /** The text as it was written, of formats that are text. */
  source?: string;
  problems: FileProblem[];
}

interface FileToRead {
  path: string;
  contentType: string | undefined;
  limits: IntakeLimits;
}

/** Each reader is loaded only for its own kind: a worker starts for every file. */
export async function readBlocks(kind: FileKind, file: FileToRead): Promise<ReadBlocks | FileFailure> {
  switch (kind) {
    case "pdf":
      return readPdf(file);
    case "docx": {
      const { readDocx } = await import("./docx-blocks.ts");
      return withoutProblems(await readDocx(file.path, file.limits));
    }
    case "xlsx":
      return readXlsx(file);
    case "json":
      return readTextFile("txt", file);
    case "csv":
    case "html":
    case "md":
    case "txt":
      return readTextFile(kind, file);
  }
}

async function readPdf({ path }: FileToRead): Promise<ReadBlocks | FileFailure> {
  const [{ readPdfLines }, { layOutPages }] = await Promise.all([
    import("./pdf-lines.ts"),
    import("./page-layout.ts"),
  ]);
  const read = await readPdfLines(new Uint8Array(await readFile(path)));
  return read.kind === "failed" ? read : { kind: "blocks", blocks: layOutPages(read.lines), problems: [] };
}

async function readXlsx({ path, limits }: FileToRead): Promise<ReadBlocks | FileFailure> {
  const [{ readSheets }, { tableBlocks }] = await Promise.all([
    import("../qa/workbook.ts"),
    import("./table-blocks.ts"),
  ]);
  const read = await readSheets(path, limits);
  if (read.kind === "failed") return read;
  const blocks = read.sheets.flatMap(({ name, rows }): Block[] => {
    const written = tableBlocks(rows.map(({ fields }) => fields));
    return written.length === 0 || read.sheets.length === 1
      ? written
      : [{ kind: "heading", level: 1, text: name }, ...written];
  });
  return { kind: "blocks", blocks, problems: [] };
}

async function readTextFile(
  kind: "csv" | "html" | "md" | "txt",
  { path, contentType, limits }: FileToRead,
): Promise<ReadBlocks | FileFailure> {
  if (kind === "md" && (await stat(path)).size > limits.markdownBytesMax)
    return failed("too_large", `a Markdown file can have at most ${limits.markdownBytesMax} bytes`);
  const charset = await findCharset(path, await charsetNamed(kind, path, contentType));
  if ("kind" in charset) return charset;
  const text = await readText(path, charset);
  const problems: FileProblem[] =
    charset.mayLoseBytes && text.includes("\ufffd")
      ? [{ cause: "undecodable", detail: `the file contains bytes that are not valid ${charset.name}` }]
      : [];
  if (kind === "csv") {
    const { readCsvRows, tableBlocks } = await import("./table-blocks.ts");
    const read = readCsvRows(text, limits);
    return read.kind === "failed" ? read : { kind: "blocks", blocks: tableBlocks(read.rows), problems };
  }
  const blocks = await textBlocks(kind, text);
  return kind === "html"
    ? { kind: "blocks", blocks, problems }
    : { kind: "blocks", blocks, source: text, problems };
}

export async function textBlocks(kind: "html" | "md" | "txt", text: string): Promise<Block[]> {
  switch (kind) {
    case "html":
      return (await import("./html-blocks.ts")).readHtml(text);
    case "md":
      return (await import("./markdown-blocks.ts")).readMarkdown(text);
    case "txt":
      return (await import("./text-blocks.ts")).readPlainText(text);
  }
}

const HEAD_BYTES = 4_096;

/** A page says itself how it is written, more reliably than the server that sends it. */
async function charsetNamed(
  kind: FileKind,
  path: string,
  contentType: string | undefined,
): Promise<string | undefined> {
  const named = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType ?? "")?.[1];
  if (kind !== "html") return named;
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = buffer.subarray(0, bytesRead).toString("latin1");
    return /<meta[^>]{1,200}charset\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1] ?? named;
  } finally {
    await file.close();
  }
}

function withoutProblems(read: { kind: "blocks"; blocks: Block[] } | FileFailure): ReadBlocks | FileFailure {
  return read.kind === "failed" ? read : { ...read, problems: [] };
}

import { TAG_MAX_CHARACTERS } from "@signalbox/contract";

/** The filters of knowledge as they stand in the address. */
export interface KnowledgeSearch {
  base?: string | undefined;
  doc?: string | undefined;
  text?: string | undefined;
  tag?: string | undefined;
}

const IDENTIFIER = /^[0-9a-f-]{36}$/i;
const TEXT_MAX = 200;

/** A filter that is not understood is left out. */
export function readKnowledgeSearch({ base, doc, text, tag }: Record<string, unknown>): KnowledgeSearch {
  const id = (value: unknown) => (typeof value === "string" && IDENTIFIER.test(value) ? value : undefined);
  return { base: id(base), doc: id(doc), text: typed(text, TEXT_MAX), tag: typed(tag, TAG_MAX_CHARACTERS) };
}

function typed(value: unknown, max: number): string | undefined {
  const written = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  return written === "" ? undefined : written.slice(0, max);
}

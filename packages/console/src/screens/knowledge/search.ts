/** The filters of knowledge as they stand in the address. */
export interface KnowledgeSearch {
  base?: string | undefined;
  doc?: string | undefined;
  text?: string | undefined;
}

const IDENTIFIER = /^[0-9a-f-]{36}$/i;
const TEXT_MAX = 200;

/** A filter that is not understood is left out. */
export function readKnowledgeSearch({ base, doc, text }: Record<string, unknown>): KnowledgeSearch {
  const id = (value: unknown) => (typeof value === "string" && IDENTIFIER.test(value) ? value : undefined);
  const typed = typeof text === "string" || typeof text === "number" ? String(text).trim() : "";
  return { base: id(base), doc: id(doc), text: typed === "" ? undefined : typed.slice(0, TEXT_MAX) };
}

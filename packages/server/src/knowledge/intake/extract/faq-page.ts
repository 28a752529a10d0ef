export interface FaqEntry {
  question: string;
  /** May hold HTML. */
  answer: string;
}

const DEPTH_MAX = 8;

/** The pairs of a schema.org FAQPage, as pages carry it for search engines. Anything else gives none. */
export function readFaqPage(json: string): FaqEntry[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    return [];
  }
  const entries: FaqEntry[] = [];
  collect(parsed, entries, 0);
  return entries;
}

function collect(value: unknown, entries: FaqEntry[], depth: number): void {
  if (depth > DEPTH_MAX || typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value as unknown[]) collect(each, entries, depth + 1);
    return;
  }
  const node = value as Record<string, unknown>;
  if (isOfType(node, "FAQPage")) {
    for (const each of asList(node["mainEntity"])) addQuestion(each, entries);
    return;
  }
  collect(node["@graph"], entries, depth + 1);
}

function addQuestion(value: unknown, entries: FaqEntry[]): void {
  if (typeof value !== "object" || value === null) return;
  const node = value as Record<string, unknown>;
  if (!isOfType(node, "Question")) return;
  const [accepted] = asList(node["acceptedAnswer"]) as ({ text?: unknown } | null)[];
  const { name } = node;
  const answer = accepted?.text;
  if (typeof name === "string" && typeof answer === "string" && name.trim() !== "" && answer.trim() !== "")
    entries.push({ question: name.replace(/\s+/g, " ").trim(), answer });
}

function isOfType(node: Record<string, unknown>, type: string): boolean {
  return asList(node["@type"]).includes(type);
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [value];
}

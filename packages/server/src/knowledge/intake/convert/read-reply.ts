import { jsonrepair } from "jsonrepair";
import { readLabelledPairs } from "../extract/labelled-pairs.ts";

export interface SaidPair {
  question: string;
  answer: string;
  /** Undefined where the reply came in a form that has none. */
  quote: string | undefined;
}

const REPLY_CHARACTERS_MAX = 200_000;
/** A list of pairs opens three. The repair calls itself once for each, and its cost grows with the depth of the stack. */
const OPEN_BRACKETS_MAX = 100;

/** The pairs of a reply, however well it kept to the form; undefined when there is no list of pairs in it at all. */
export function readReply(reply: string): SaidPair[] | undefined {
  const text = reply.slice(0, REPLY_CHARACTERS_MAX).trim();
  for (const candidate of jsonCandidates(text)) {
    const pairs = pairsIn(parse(candidate) ?? parse(repair(candidate)));
    if (pairs !== undefined) return pairs;
  }
  return readLines(text);
}

/** Models wrap JSON in fences and prose. */
function jsonCandidates(text: string): string[] {
  const fenced = /```(?:json)?[^\S\n]*\n([\s\S]*?)(?:\n```|$)/i.exec(text)?.[1];
  const first = text.search(/[{[]/);
  const last = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]"));
  const inside = first === -1 ? undefined : text.slice(first, last > first ? last + 1 : undefined);
  return [text, fenced, inside].filter(
    (candidate) => candidate !== undefined && /^\s*[{[]/.test(candidate),
  ) as string[];
}

function parse(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function repair(text: string): string | undefined {
  if (mostOpenBrackets(text) > OPEN_BRACKETS_MAX) return undefined;
  try {
    return jsonrepair(text);
  } catch {
    return undefined;
  }
}

function mostOpenBrackets(text: string): number {
  let open = 0;
  let most = 0;
  for (const [bracket] of text.matchAll(/[{}[\]]/g)) {
    open = "{[".includes(bracket) ? open + 1 : Math.max(0, open - 1);
    most = Math.max(most, open);
  }
  return most;
}

function pairsIn(value: unknown): SaidPair[] | undefined {
  const list = Array.isArray(value)
    ? (value as unknown[])
    : (value as { pairs?: unknown } | undefined)?.pairs;
  if (!Array.isArray(list)) return undefined;
  return (list as unknown[]).flatMap((each) => {
    if (typeof each !== "object" || each === null) return [];
    const { question, answer, quote } = each as Record<string, unknown>;
    if (typeof question !== "string" || typeof answer !== "string") return [];
    return [
      {
        question: question.trim(),
        answer: answer.trim(),
        quote: typeof quote === "string" ? quote : undefined,
      },
    ];
  });
}

function readLines(text: string): SaidPair[] | undefined {
  const labelled = readLabelledPairs([{ kind: "paragraph", text }]);
  return labelled?.pairs.map(({ question, answer }) => ({
    question: withoutEmphasis(question),
    answer: withoutEmphasis(answer),
    quote: undefined,
  }));
}

function withoutEmphasis(text: string): string {
  return text.replace(/^\*\*|\*\*$/g, "").trim();
}

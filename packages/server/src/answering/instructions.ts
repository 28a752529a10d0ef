import { normalized } from "@signalbox/contract";
import { termOf } from "../knowledge/index.ts";

const CLAUSE_END = /[,;:.!?\n，。；：！？、()（）]|\b(?:and|or|but|then)\b|然后|并且|而且|或者/;
const WORD = /[\p{L}\p{M}\p{N}']+/gu;
const HAN = /\p{Script=Han}/u;

/** Words that may stand before the verb of an instruction. */
const LEADS_IN = new Set("please kindly just simply first now always also so do don't never to".split(" "));
/** Behind a verb at the start of a clause. Behind a noun there stands a verb. */
const OBJECTS = new Set(
  "your us me our my the a an this that these those it them him her his their any all every both to on in into with for at out up over here now".split(
    " ",
  ),
);
/** Begin a clause and tell nobody to do anything. */
const NO_VERBS = new Set(
  "after before within during until unless because since although though while under above below between through per via including each most some none without upon against yes no not both once however there here one two only even such note remember".split(
    " ",
  ),
);
const NEGATIONS = new Set("never not don't dont cannot can't mustn't shouldn't nobody no".split(" "));
/** A negation stands at most this many words before its verb. */
const NEGATED_WORDS = 3;
/** Each is held against its whole source. */
const INSTRUCTIONS_MAX = 50;
const MODALS = new Set("must should shall need needs have ought are will can may could".split(" "));
const BEHIND_MODALS = new Set(
  "to also first then now always only required asked advised be not never just".split(" "),
);
const TELLS_HAN =
  /(?:请(?!问)|务必|必须|须(?!知)|应当|应该|需要?(?:您|你)|要求(?:您|你))(?<told>[^请]{1,30})/gu;

export interface Instruction {
  verb: string;
  /** The other words of its clause. */
  rest: string;
  /** "never tell": not to do it. */
  isNegated: boolean;
}

/** What a claim in English tells its reader to do: "send your …", "please call", "you must pay". */
export function instructionsIn(claim: string): Instruction[] {
  const told: Instruction[] = [];
  for (const clause of clausesOf(claim)) {
    if (HAN.test(clause)) continue;
    const words = wordsOf(clause);
    const add = (at: number) => {
      const verb = words[at];
      if (verb === undefined || told.length >= INSTRUCTIONS_MAX) return;
      const before = words.slice(Math.max(0, at - NEGATED_WORDS), at);
      const isNegated = before.some((word) => NEGATIONS.has(word));
      told.push({ verb, rest: words.toSpliced(at, 1).join(" "), isNegated });
    };
    const start = Math.max(
      0,
      words.findIndex((word) => !LEADS_IN.has(word)),
    );
    const [first = "", next = ""] = words.slice(start);
    const isAsked = words.slice(0, start).some((word) => word === "please" || word === "kindly");
    if (isAsked || (OBJECTS.has(next) && !NO_VERBS.has(first) && !first.endsWith("ly"))) add(start);
    for (const [at, word] of words.entries())
      if (word === "please" && at >= start) add(at + 1);
      else if (word === "you" && MODALS.has(words[at + 1] ?? "")) {
        const behind = words.findIndex((later, index) => index > at + 1 && !BEHIND_MODALS.has(later));
        if (behind !== -1) add(behind);
      }
  }
  return told;
}

/** Whether a source has a verb, and each time tells not to do it. The source is read once for all verbs. */
export function isOnlyForbidden(source: string): (verb: string) => boolean {
  const words = wordsOf(normalized(source).toLowerCase());
  const places = Map.groupBy(words.keys(), (at) => termOf(words[at]!));
  const isForbidden = (at: number) =>
    words.slice(Math.max(0, at - NEGATED_WORDS), at).some((word) => NEGATIONS.has(word));
  return (verb) => places.get(termOf(verb))?.every(isForbidden) ?? false;
}

function wordsOf(clause: string): string[] {
  return clause.replaceAll("’", "'").match(WORD) ?? [];
}

/** What a claim in Chinese tells its reader to do, with all that follows: where its verb ends, nothing shows. */
export function partsToldHan(claim: string): string[] {
  return clausesOf(claim).flatMap((clause) =>
    [...clause.matchAll(TELLS_HAN)].map(({ groups }) => groups?.["told"] ?? ""),
  );
}

/** Clauses of a claim: each has to be borne out for itself. */
export function clausesOf(claim: string): string[] {
  return normalized(claim).toLowerCase().split(CLAUSE_END);
}

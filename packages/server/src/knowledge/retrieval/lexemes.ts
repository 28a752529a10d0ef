import { hash } from "node:crypto";
import { questionKey } from "../intake/incoming-pair.ts";
import { readWords, termOf, termsOf } from "./terms.ts";

/** Beyond this an answer is a chapter: its first words say what it is about, and the whole of it is scored later. */
const ANSWER_LEXEMES_MAX = 64;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX_CHARACTERS = 4;

/**
 * Every lexeme begins with its base, so that one index serves all bases and a look-up reads this base's entries alone.
 * The last digits of the id are taken: the first are the time, which bases made together share.
 */
export function lexemePrefix(knowledgeBaseId: string): string {
  let rest = Number.parseInt(knowledgeBaseId.slice(-6), 16);
  let prefix = "";
  while (prefix.length < PREFIX_CHARACTERS) {
    prefix += ALPHABET[rest % ALPHABET.length];
    rest = Math.floor(rest / ALPHABET.length);
  }
  return prefix;
}

export interface IndexedTexts {
  /** The question and its alternates, as terms. */
  questions: string[][];
  answer: string[];
  /** One for the question and each alternate. */
  keys: string[];
}

/**
 * The tsvector of a pair, as text. Questions have weight A, answers the least there is; `=` marks the key of a whole
 * question and `~` that of a tag, which no word contains. Terms hold letters, digits and marks alone, so quotes are enough.
 */
export function pairLexemes(
  prefix: string,
  { questions, answer, keys }: IndexedTexts,
  tags: string[] = [],
): string {
  const lexemes: string[] = [];
  const seen = new Set<string>();
  for (const terms of questions) {
    for (const term of terms) {
      if (seen.has(term)) continue;
      seen.add(term);
      lexemes.push(`'${prefix}${term}':1A`);
    }
  }
  for (const key of new Set(keys)) lexemes.push(`'${prefix}=${key}':1A`);
  const answerFrom = seen.size;
  for (const term of answer) {
    if (seen.size - answerFrom >= ANSWER_LEXEMES_MAX) break;
    if (seen.has(term)) continue;
    seen.add(term);
    lexemes.push(`'${prefix}${term}'`);
  }
  for (const lexeme of tagLexemes(prefix, tags)) lexemes.push(`'${lexeme}'`);
  return lexemes.join(" ");
}

/** One for each tag, and one by which every pair with a tag is found. */
export function tagLexemes(prefix: string, tags: string[]): string[] {
  if (tags.length === 0) return [];
  return [`${prefix}~`, ...tags.map((tag) => `${prefix}~${shortHash(tag)}`)];
}

/** A tsquery that finds what has the tag, or any tag. */
export function taggedQuery(knowledgeBaseId: string, tag?: string): string {
  return `'${lexemePrefix(knowledgeBaseId)}~${tag === undefined ? "" : shortHash(tag)}'`;
}

/** A tsquery that finds what has any of the terms. */
export function anyOf(prefix: string, terms: string[]): string {
  return terms.map((term) => `'${prefix}${term}'`).join(" | ");
}

/** A tsquery that finds what has all of the terms. */
export function allOf(prefix: string, terms: string[]): string {
  return terms.map((term) => `'${prefix}${term}'`).join(" & ");
}

/**
 * A tsquery that finds what has all words of a text, or words that begin with them: what somebody types who looks for a pair.
 * Undefined where there is no word.
 */
export function wordsQuery(knowledgeBaseId: string, text: string): string | undefined {
  const prefix = lexemePrefix(knowledgeBaseId);
  const { spacedWords, unspacedRuns } = readWords(text);
  const wanted = new Set<string>();
  for (const run of unspacedRuns) for (const term of termsOf(run)) wanted.add(beginning(prefix, term));
  for (const word of spacedWords) {
    const stem = termOf(word);
    // One letter begins too many words to be of use.
    wanted.add(
      word.length === 1 ? `'${prefix}${stem}'` : `('${prefix}${stem}' | ${beginning(prefix, word)})`,
    );
  }
  return wanted.size === 0 ? undefined : [...wanted].join(" & ");
}

function beginning(prefix: string, term: string): string {
  return `'${prefix}${term}':*`;
}

/** A tsquery that finds the very question, however it is punctuated. */
export function exactly(prefix: string, question: string): string {
  return `'${prefix}${exactLexeme(question)}'`;
}

/** The lexeme of a whole question, without the prefix of its base. */
export function exactLexeme(question: string): string {
  return `=${keyOf(question)}`;
}

export function withoutPrefix(lexeme: string): string {
  return lexeme.slice(PREFIX_CHARACTERS);
}

/** What is indexed of a pair, read once; `onForm` is awaited after each way to ask it. */
export async function indexedTexts(
  pair: { question: string; answer: string; alternates: string[] },
  onForm: (form: string, terms: string[]) => Promise<void> | undefined,
): Promise<IndexedTexts> {
  const texts: IndexedTexts = { questions: [], answer: [], keys: [] };
  for (const form of [pair.question, ...pair.alternates]) {
    const terms = termsOf(form);
    texts.questions.push(terms);
    texts.keys.push(keyOf(form));
    await onForm(form, terms);
  }
  texts.answer = termsOf(pair.answer);
  return texts;
}

function keyOf(question: string): string {
  return shortHash(questionKey(question));
}

function shortHash(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 12);
}

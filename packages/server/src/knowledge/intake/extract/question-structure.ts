import { pairFault, questionKey, type IncomingPair } from "../incoming-pair.ts";
import type { IntakeLimits } from "../limits.ts";
import { collapseBlanks, joinLines, type PairBlock, type TextBlock } from "./block.ts";
import { readLabelledPairs } from "./labelled-pairs.ts";
import { endsWithQuestionMark, isQuestion, withoutNumber } from "./question.ts";
import { textOf, type Section } from "./sections.ts";

export interface FoundStructure {
  /** As the document words them. */
  pairs: IncomingPair[];
  /** The sections that are no pair, in order. */
  rest: Section[];
}

/** Lines of their own that ask: two make a list of questions, one may be rhetoric. */
const QUESTION_LINES_MIN = 2;
const QUESTION_LINE_CHARACTERS_MAX = 300;

/** Where a document already is a list of questions and answers, its own words are taken and nothing is asked of a model. */
export function findQuestions(sections: Section[], limits: IntakeLimits): FoundStructure {
  const found = collectPairs(limits);
  // Where titles ask, a question among the text is part of an answer.
  const titlesAsk = sections.some(({ path }) => isQuestion(path.at(-1) ?? ""));
  const linesAsking = titlesAsk ? 0 : sections.flatMap(({ blocks }) => blocks.filter(isQuestionLine)).length;
  const rest: Section[] = [];
  for (const [index, section] of sections.entries()) {
    const title = section.path.at(-1);
    const left = takePairs(section, linesAsking >= QUESTION_LINES_MIN, (...pair) => found.add(...pair));
    if (title !== undefined && isQuestion(title)) {
      const own = textOf(left);
      const whole = textOf([...left, ...sectionsBelow(sections, index)]);
      if (found.add(section, title, whole) || (whole !== own && found.add(section, title, own))) continue;
    }
    if (left.length > 0) rest.push({ ...section, blocks: left });
  }
  return { pairs: found.pairs, rest };
}

/** Text under lesser titles belongs to the answer, up to one that asks for itself. It also stays a section of its own. */
function sectionsBelow(sections: Section[], index: number): TextBlock[] {
  const below: TextBlock[] = [];
  const { level } = sections[index]!;
  for (const section of sections.slice(index + 1, index + 50)) {
    const title = section.path.at(-1) ?? "";
    if (section.level <= level || isQuestion(title)) break;
    below.push({ kind: "paragraph", text: title });
    for (const block of section.blocks) if (block.kind !== "pair") below.push(block);
  }
  return below;
}

type AddPair = (section: Section, question: string, answer: string) => boolean;

function collectPairs(limits: IntakeLimits) {
  const pairs: IncomingPair[] = [];
  const answersOf = new Map<string, string>();
  return {
    pairs,
    /** False when it can be no pair. A page often says the same twice, for people and for search engines. */
    add({ path, page, line }: Section, asked: string, answered: string): boolean {
      const question = withoutNumber(collapseBlanks(asked));
      const answer = answered.trim();
      if (pairFault({ question, answer, alternates: [] }, limits) !== undefined) return false;
      if (pairs.length >= limits.pairsMax) return false;
      const key = questionKey(question);
      if (questionKey(answer) === key) return false;
      const earlier = answersOf.get(key);
      const compared = answer.replace(/\s+/g, "");
      if (earlier !== undefined && (earlier.includes(compared) || compared.includes(earlier))) return true;
      answersOf.set(key, compared);
      pairs.push({
        question,
        answer,
        alternates: [],
        origin: "faq",
        source: { path, ...(page === undefined ? {} : { page }), ...(line === undefined ? {} : { line }) },
      });
      return true;
    },
  };
}

/** Takes the pairs out of a section and gives what is left of it. */
function takePairs(section: Section, takesLines: boolean, add: AddPair): TextBlock[] {
  const left: TextBlock[] = [];
  for (const block of section.blocks) {
    if (block.kind !== "pair") left.push(block);
    else if (!add(section, block.question, block.answer)) left.push(...asText(block));
  }
  const labelled = readLabelledPairs(left);
  if (labelled !== undefined) {
    const refused = labelled.pairs.filter(({ question, answer }) => !add(section, question, answer));
    return [...labelled.before, ...refused.flatMap((pair) => asText({ kind: "pair", ...pair }))];
  }
  return takesLines ? takeQuestionLines(section, left, add) : left;
}

function asText({ question, answer }: PairBlock): TextBlock[] {
  return [
    { kind: "paragraph", text: question },
    { kind: "paragraph", text: answer },
  ];
}

function takeQuestionLines(section: Section, blocks: TextBlock[], add: AddPair): TextBlock[] {
  const left: TextBlock[] = [];
  let question: TextBlock | undefined;
  let answer: TextBlock[] = [];
  const close = () => {
    if (question === undefined) return;
    if (answer.length === 0 || !add(section, plainLine(question), textOf(answer)))
      left.push(question, ...answer);
    question = undefined;
    answer = [];
  };
  for (const block of blocks) {
    if (isQuestionLine(block)) {
      close();
      question = block;
    } else if (question === undefined) left.push(block);
    else answer.push(block);
  }
  close();
  return left;
}

function isQuestionLine(block: TextBlock | PairBlock): block is TextBlock {
  if (block.kind !== "paragraph" && block.kind !== "list") return false;
  if (block.text.length > QUESTION_LINE_CHARACTERS_MAX) return false;
  const line = plainLine(block);
  // In bold it is meant as a title; otherwise only a question mark, and no second sentence after one, makes it one.
  if (block.isBold === true) return isQuestion(line);
  return endsWithQuestionMark(line) && (block.kind === "paragraph" || /^\s*\d{1,3}[.)]\s/.test(block.text));
}

function plainLine({ text }: TextBlock): string {
  return joinLines(text.split("\n")).replace(/^(?:[-*+•]\s+|\*\*|__)+|(?<!\*\*|__)(?:\*\*|__)+$/g, "");
}

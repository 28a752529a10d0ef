import type { TextBlock } from "./block.ts";

const QUESTION_LABELS = labels(
  "q|question|frage|f|pregunta|p|pergunta|domanda|d|вопрос|в|pytanie|vraag|soru|问|問|问题|問題|質問|질문|문",
);
const ANSWER_LABELS = labels(
  "a|answer|ans|antwort|réponse|reponse|r|respuesta|resposta|risposta|ответ|о|odpowiedź|antwoord|cevap|答|回答|答案|답변|답",
);
const LABEL = /^\s*(?:[-*•]\s+)?(?:\*\*|__)?(?<label>\p{L}{1,12})\s?\d{0,3}\s?[.:：)）、](?:\*\*|__)?\s*/u;

function labels(words: string): ReadonlySet<string> {
  return new Set(words.split("|"));
}

interface Line {
  text: string;
  index: number;
  kind: "question" | "answer" | "plain";
  /** Without its label. */
  said: string;
}

function readLine(text: string, index: number): Line {
  const found = LABEL.exec(text);
  const label = found?.groups?.["label"]?.toLowerCase() ?? "";
  const kind = QUESTION_LABELS.has(label) ? "question" : ANSWER_LABELS.has(label) ? "answer" : "plain";
  return { text, index, kind, said: text.slice(found?.[0].length ?? 0) };
}

export interface LabelledPairs {
  before: TextBlock[];
  pairs: { question: string; answer: string }[];
}

/** `Q: …` and `A: …` at the start of lines, in the words of many languages; undefined where there are none. */
export function readLabelledPairs(blocks: TextBlock[]): LabelledPairs | undefined {
  const lines = blocks.flatMap((block, index) =>
    [...block.text.split("\n"), ...(index + 1 < blocks.length ? [""] : [])].map((text) =>
      readLine(text, index),
    ),
  );
  const first = lines.findIndex(({ kind }) => kind === "question");
  if (first === -1 || !lines.slice(first + 1).some(({ kind }) => kind === "answer")) return undefined;
  const pairs: { question: string[]; answer: string[]; isAnswered: boolean }[] = [];
  for (const { text, kind, said } of lines.slice(first)) {
    const pair = pairs.at(-1);
    if (kind === "question" && (pair === undefined || pair.isAnswered)) {
      pairs.push({ question: [said], answer: [], isAnswered: false });
    } else if (pair !== undefined && !pair.isAnswered && kind === "answer") {
      pair.isAnswered = true;
      pair.answer.push(said);
    } else if (pair !== undefined) {
      (pair.isAnswered ? pair.answer : pair.question).push(text);
    }
  }
  return {
    before: textBefore(blocks, lines, first),
    pairs: pairs.map(({ question, answer }) => ({
      question: question.join("\n").trim(),
      answer: answer.join("\n").trim(),
    })),
  };
}

function textBefore(blocks: TextBlock[], lines: Line[], first: number): TextBlock[] {
  const at = lines[first]!.index;
  const cut = lines
    .slice(0, first)
    .filter(({ index }) => index === at)
    .map(({ text }) => text)
    .join("\n")
    .trim();
  const whole = blocks.slice(0, at);
  return cut === "" ? whole : [...whole, { ...blocks[at]!, text: cut }];
}

import type { TextBlock } from "./block.ts";

const QUESTION_LABELS =
  "q|question|frage|f|pregunta|p|pergunta|domanda|d|вопрос|в|pytanie|vraag|soru|问|問|问题|問題|質問|질문|문";
const ANSWER_LABELS =
  "a|answer|ans|antwort|réponse|reponse|r|respuesta|resposta|risposta|ответ|о|odpowiedź|antwoord|cevap|答|回答|答案|답변|답";
const label = (labels: string) =>
  new RegExp(
    `^\\s*(?:[-*•]\\s+)?(?:\\*\\*|__)?(?:${labels})\\s?\\d{0,3}\\s?[.:：)）、](?:\\*\\*|__)?\\s*`,
    "iu",
  );
const ASKS = label(QUESTION_LABELS);
const ANSWERS = label(ANSWER_LABELS);

export interface LabelledPairs {
  before: TextBlock[];
  pairs: { question: string; answer: string }[];
}

/** `Q: …` and `A: …` at the start of lines, in the words of many languages; undefined where there are none. */
export function readLabelledPairs(blocks: TextBlock[]): LabelledPairs | undefined {
  const lines = blocks.flatMap((block, index) =>
    [...block.text.split("\n"), ...(index + 1 < blocks.length ? [""] : [])].map((text) => ({ text, index })),
  );
  const first = lines.findIndex(({ text }) => ASKS.test(text));
  if (first === -1 || !lines.slice(first + 1).some(({ text }) => ANSWERS.test(text))) return undefined;
  const pairs: { question: string[]; answer: string[]; isAnswered: boolean }[] = [];
  for (const { text } of lines.slice(first)) {
    const pair = pairs.at(-1);
    if (ASKS.test(text) && (pair === undefined || pair.isAnswered)) {
      pairs.push({ question: [text.replace(ASKS, "")], answer: [], isAnswered: false });
    } else if (pair !== undefined && !pair.isAnswered && ANSWERS.test(text)) {
      pair.isAnswered = true;
      pair.answer.push(text.replace(ANSWERS, ""));
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

function textBefore(
  blocks: TextBlock[],
  lines: { text: string; index: number }[],
  first: number,
): TextBlock[] {
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

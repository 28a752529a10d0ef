const QUESTION_NAMES =
  "question,questions,q,query,问题,問題,标准问,标准问题,標準問題,質問,질문,pregunta,frage,вопрос,pergunta,domanda,ερώτηση,soru,pytanie,vraag,câu hỏi,คำถาม,سؤال,السؤال,שאלה,प्रश्न";
const ANSWER_NAMES =
  "answer,answers,a,response,reply,答案,回答,答复,答覆,답변,respuesta,réponse,reponse,antwort,ответ,resposta,risposta,απάντηση,cevap,odpowiedź,antwoord,câu trả lời,คำตอบ,جواب,الجواب,תשובה,उत्तर";
const ALTERNATE_NAMES =
  "index,similar,similar question,similar questions,similar_questions,相似问,相似问题,alternate,alternates,alternative question,alternative questions,alternative_questions";

const TAG_NAMES = "tag,tags,label,labels,标签,標籤";

/** French asks in the same word as English, "question". */
const NAMES = new Map<string, ColumnKind>([
  ...namesOf(QUESTION_NAMES, "question"),
  ...namesOf(ANSWER_NAMES, "answer"),
  ...namesOf(ALTERNATE_NAMES, "alternate"),
  ...namesOf(TAG_NAMES, "tags"),
]);

type ColumnKind = "question" | "answer" | "alternate" | "tags";

function namesOf(names: string, kind: ColumnKind): [string, ColumnKind][] {
  return names.split(",").map((name) => [fold(name), kind]);
}

function fold(name: string): string {
  return name.normalize("NFKC").toLowerCase().trim();
}

export interface NamedColumns {
  question: number | undefined;
  answer: number | undefined;
  alternates: number[];
  tags: number | undefined;
}

/** Which columns a header row names; the first of a name wins, alternates may repeat. */
export function recogniseColumns(header: string[]): NamedColumns {
  const columns: NamedColumns = { question: undefined, answer: undefined, alternates: [], tags: undefined };
  for (const [index, name] of header.entries()) {
    const kind = NAMES.get(fold(name));
    if (kind === "alternate") columns.alternates.push(index);
    else if (kind !== undefined) columns[kind] ??= index;
  }
  return columns;
}

export interface Columns {
  question: number;
  answer: number;
  alternates: number[];
  tags?: number | undefined;
}

/** A column without a name we know takes the first place that is free: question, then answer. */
export function placeColumns(header: string[] | undefined): Columns {
  const { question, answer, alternates, tags } = recogniseColumns(header ?? []);
  const taken = new Set([question, answer, tags, ...alternates]);
  const firstFree = () => {
    let index = 0;
    while (taken.has(index)) index += 1;
    taken.add(index);
    return index;
  };
  const placedQuestion = question ?? firstFree();
  return { question: placedQuestion, answer: answer ?? firstFree(), alternates, tags };
}

export function namesBothColumns(row: string[]): boolean {
  const { question, answer } = recogniseColumns(row);
  return question !== undefined && answer !== undefined;
}

import { join } from "node:path";
import { pathToFileURL } from "node:url";

type Exported = (...given: unknown[]) => unknown;

/** A function that reads text which somebody outside wrote. */
export interface TextReader {
  /** Its file and its name, as `findReaders` finds them. */
  reader: string;
  /** The longest text it is given; the routes that lead to it refuse a longer one. */
  charactersMax: number;
  /** How it is called with the text, where the text is not all it takes. */
  call?: (exported: Exported, text: string) => unknown;
}

/** The longest message and the longest answer. */
const MESSAGE = 25_000;
const QUESTION = 1_000;
/** A model's reply has at most 800 tokens. */
const CLAIM = 4_000;
/** The length of a document, whose readers have a CPU budget for each megabyte. */
const DOCUMENT = 50_000;
/** A tokenizer is the dearest of all and has runs of its own limit. */
const TOKENS = 8_000;
const SERVER = "packages/server/src";

const readers = (
  file: string,
  names: string,
  charactersMax: number,
  call?: TextReader["call"],
): TextReader[] =>
  names.split(" ").map((name) => ({
    reader: `${file}#${name}`,
    charactersMax,
    ...(call === undefined ? {} : { call }),
  }));

const pair = (answer: string) => ({ question: "When do you open?", answer });

interface Check {
  refuse: (claim: string, cited: Set<number>) => unknown;
  isAtHome: (part: string) => boolean;
}

function readAsStream(createSafeText: Exported, text: string): void {
  const check = { refuse: () => undefined, hasSource: () => true, isAtHome: () => true };
  const take = createSafeText(check, "NO_ANSWER", () => {}) as (more: string) => void;
  for (let at = 0; at < text.length; at += 20) take(text.slice(at, at + 20));
}

function checkClaim(createClaimCheck: Exported, text: string): void {
  const check = createClaimCheck(text.slice(0, QUESTION), [pair(text), pair("At 10 on weekdays.")]) as Check;
  const claim = text.slice(0, CLAIM);
  check.refuse(claim, new Set([1]));
  check.isAtHome(claim);
}

/** Some 4,000 words of three to six letters, each another. */
function manyWords(): string {
  return Array.from({ length: 4_000 }, (_, at) => (at * 7_919).toString(26).replaceAll(/\d/g, "x")).join(" ");
}

function readAsTags(read: Exported, text: string): void {
  read(text, { open: () => {}, text: () => {}, close: () => {} });
}

/** Every function that `findReaders` finds, and a few that it cannot see because they are given something else first. */
export const TEXT_READERS: readonly TextReader[] = [
  ...readers("packages/widget/src/markdown.ts", "readMarkdown readInline readLinks", MESSAGE),
  ...readers("packages/contract/src/csv.ts", "csvField withoutTextMark literalCell", MESSAGE),
  ...readers("packages/contract/src/tags.ts", "splitTags", MESSAGE),
  ...readers("packages/contract/src/normalized.ts", "normalized", MESSAGE),
  ...readers("packages/contract/src/values.ts", "textProblem", MESSAGE, (read, text) => read(text, MESSAGE)),
  ...readers("packages/contract/src/attachments.ts", "textWithAttachments", MESSAGE, (read, text) =>
    read(text, []),
  ),
  ...readers("packages/console/src/screens/deliveries/json-object.ts", "jsonObjectIn", MESSAGE),
  ...readers("packages/console/src/screens/inbox/slash-command.ts", "slashCommandAt", MESSAGE, (read, text) =>
    read(text, text.length),
  ),
  ...readers(`${SERVER}/knowledge/encoder/encoder.ts`, "isChinese", MESSAGE),
  ...readers(`${SERVER}/platform/simplified.ts`, "simplified", MESSAGE),
  ...readers(`${SERVER}/knowledge/retrieval/terms.ts`, "readWords termsOf trigramsOf", MESSAGE),
  ...readers(`${SERVER}/knowledge/retrieval/common-terms.ts`, "contentTermsOf languageOf", MESSAGE),
  ...readers(`${SERVER}/knowledge/retrieval/lexemes.ts`, "exactLexeme", QUESTION),
  ...readers(`${SERVER}/knowledge/retrieval/near-terms.ts`, "letterPairs", QUESTION),
  ...readers(`${SERVER}/knowledge/retrieval/stem.ts`, "stemOf", QUESTION),
  ...readers(`${SERVER}/knowledge/retrieval/terms.ts`, "isUnspaced termOf", QUESTION),
  ...readers(`${SERVER}/knowledge/intake/incoming-pair.ts`, "questionKey", QUESTION),
  ...readers(`${SERVER}/knowledge/intake/incoming-pair.ts`, "isLongerThan", DOCUMENT, (read, text) =>
    read(text, MESSAGE),
  ),
  ...readers(`${SERVER}/knowledge/intake/qa/suspicious-value.ts`, "suspicionOf", MESSAGE),
  ...readers(`${SERVER}/knowledge/intake/qa/column-content.ts`, "isLikeName", DOCUMENT),
  ...readers(`${SERVER}/knowledge/intake/qa/column-content.ts`, "contentOf", DOCUMENT, (read, text) =>
    read([text]),
  ),
  ...readers(`${SERVER}/knowledge/intake/qa/html-cell.ts`, "readHtmlCell", DOCUMENT, (read, text) => [
    read(text, "markdown"),
    read(`<p>${text}`, "markdown"),
    read(`<table><tr><td>${text}`, "text"),
    read(`<b>${text}</b>`, "markdown"),
  ]),
  ...readers(`${SERVER}/knowledge/intake/qa/column-names.ts`, "claimOf", DOCUMENT),
  ...readers(`${SERVER}/knowledge/intake/extract/html-blocks.ts`, "readHtml", DOCUMENT),
  ...readers(`${SERVER}/knowledge/intake/extract/html-tags.ts`, "readTags", DOCUMENT, readAsTags),
  ...readers(`${SERVER}/knowledge/intake/extract/xml-tags.ts`, "readXmlTags", DOCUMENT, readAsTags),
  ...readers(`${SERVER}/knowledge/intake/extract/docx-styles.ts`, "readDocxStyles readDocxLinks", DOCUMENT),
  ...readers(`${SERVER}/knowledge/intake/extract/markdown-blocks.ts`, "readMarkdown withoutMarks", DOCUMENT),
  ...readers(`${SERVER}/knowledge/intake/extract/text-blocks.ts`, "readPlainText", DOCUMENT),
  ...readers(`${SERVER}/knowledge/intake/extract/faq-page.ts`, "readFaqPage", DOCUMENT),
  ...readers(`${SERVER}/knowledge/intake/extract/block.ts`, "collapseBlanks", DOCUMENT),
  ...readers(`${SERVER}/knowledge/intake/extract/tokens.ts`, "tokensIn", TOKENS),
  ...readers(
    `${SERVER}/knowledge/intake/extract/question.ts`,
    "isQuestion isContentsTitle withoutNumber endsWithQuestionMark",
    MESSAGE,
  ),
  ...readers(
    `${SERVER}/knowledge/intake/extract/split-text.ts`,
    "splitAfter lastEnd",
    DOCUMENT,
    (read, text) => ["lines", "sentences", "words"].map((cut) => read(text, cut)),
  ),
  ...readers(`${SERVER}/knowledge/intake/extract/table-blocks.ts`, "readCsvRows", DOCUMENT, (read, text) =>
    read(text, { recordCharactersMax: 1_048_576 }),
  ),
  ...readers(
    `${SERVER}/knowledge/intake/convert/check-pair.ts`,
    "createSupportCheck",
    DOCUMENT,
    (create, text) =>
      (create(text) as Exported)({ ...pair(text.slice(0, MESSAGE)), quote: text.slice(0, QUESTION) }),
  ),
  ...readers(`${SERVER}/knowledge/intake/convert/read-reply.ts`, "readReply", DOCUMENT),
  ...readers(`${SERVER}/knowledge/encoder/spelling.ts`, "readMisspelt", MESSAGE, (read, text) => [
    read(text, { has: () => false, texts: [manyWords()] }),
    read(manyWords(), { has: () => false, texts: [text] }),
  ]),
  ...readers(`${SERVER}/conversations/message-search.ts`, "conditionsOf", MESSAGE),
  ...readers(`${SERVER}/handoff/begin/email-in.ts`, "emailIn", MESSAGE),
  ...readers(`${SERVER}/handoff/begin/person-request-en.ts`, "isEnglishQuestion", QUESTION),
  ...readers(`${SERVER}/handoff/begin/person-request-zh.ts`, "isChineseQuestion", QUESTION),
  ...readers(`${SERVER}/handoff/begin/person-request.ts`, "readPersonRequest", MESSAGE, (read, text) => [
    read(text, { phrases: {} }),
    read(text, { phrases: { en: ["a", "not a", "talk to a person"], "zh-CN": ["不要", "转人工"] } }),
  ]),
  ...readers(`${SERVER}/answering/addresses.ts`, "addressesIn", MESSAGE),
  ...readers(`${SERVER}/answering/claims.ts`, "claimsIn firstClaim", MESSAGE),
  ...readers(`${SERVER}/answering/commands.ts`, "commandsModel", MESSAGE),
  ...readers(`${SERVER}/answering/reply-text.ts`, "citedIn withoutCitations withoutListNumbers", MESSAGE),
  ...readers(
    `${SERVER}/answering/numbers/read-numbers.ts`,
    "readNumbers mayHaveNumberWords withoutOpenNumber",
    MESSAGE,
  ),
  ...readers(
    `${SERVER}/answering/numbers/english-numbers.ts`,
    "englishNumbersIn openEnglishNumberFrom",
    MESSAGE,
  ),
  ...readers(
    `${SERVER}/answering/numbers/chinese-numbers.ts`,
    "chineseNumbersIn openChineseNumberFrom",
    MESSAGE,
  ),
  ...readers(`${SERVER}/answering/safe-text.ts`, "undecidedFrom", MESSAGE),
  ...readers(`${SERVER}/answering/safe-text.ts`, "createSafeText", MESSAGE, readAsStream),
  ...readers(`${SERVER}/answering/claim-check.ts`, "createClaimCheck", MESSAGE, checkClaim),
  ...readers(`${SERVER}/answering/consequences.ts`, "isBeyondSource", MESSAGE, (read, text) =>
    read(text.slice(0, CLAIM), text),
  ),
  ...readers(`${SERVER}/answering/instructions.ts`, "instructionsIn partsToldHan clausesOf", MESSAGE),
  ...readers(`${SERVER}/answering/instructions.ts`, "isOnlyForbidden", MESSAGE, (read, text) =>
    (read(text) as Exported)("tell"),
  ),
  ...readers(`${SERVER}/answering/grounded-answer.ts`, "checkReply", MESSAGE, (read, text) =>
    read(text, [pair("At 10 on weekdays.")], {
      refuse: () => undefined,
      hasSource: () => true,
      isAtHome: () => true,
    }),
  ),
  ...readers(`${SERVER}/answering/script.ts`, "isSameScript", MESSAGE, (read, text) => read(text, "When?")),
  ...readers(`${SERVER}/answering/small-talk.ts`, "readSmallTalk", MESSAGE),
  ...readers(`${SERVER}/answering/suggestions.ts`, "mayChoose", MESSAGE),
  ...readers(`${SERVER}/answering/suggestions.ts`, "chosenQuestion", MESSAGE, (read, text) =>
    read(text, ["a"]),
  ),
  ...readers(`${SERVER}/answering/token-budget.ts`, "estimatedTokens", MESSAGE),
  ...readers(`${SERVER}/answering/human-answers/mask-personal-data.ts`, "maskPersonalData", MESSAGE),
];

/** Found by the name of what they take, and no readers of text from outside. */
export const NO_READERS: Readonly<Record<string, string>> = {
  "packages/contract/src/openapi-operations.ts#withoutLinks": "our own sentences",
  "packages/console/src/screens/inbox/slash-command.ts#replaceCommand": "one slice of what its author typed",
  "packages/server/src/engine/call.ts#readCall": "a call that we journaled ourselves",
  "packages/server/src/knowledge/retrieval/common-terms.ts#commonShare": "one look into a map",
  "packages/server/src/knowledge/retrieval/common-terms.ts#isCommonTerm": "one look into a map",
  "packages/widget/src/message-text.ts#formatted": "needs a page; the Markdown it shows is registered",
  "packages/widget/src/message-text.ts#asTyped": "needs a page; the links it shows are registered",
};

const root = join(import.meta.dirname, "../..");

/** Loaded by its path: these functions are inside rooms, and no door leads to them. */
export async function loadReader({ reader, call }: TextReader): Promise<(text: string) => unknown> {
  const [file = "", name = ""] = reader.split("#");
  const loaded = (await import(pathToFileURL(join(root, file)).href)) as Record<string, Exported | undefined>;
  const exported = loaded[name];
  if (exported === undefined)
    throw new Error(`${file} exports no ${name}: correct tests/complexity/text-readers.ts`);
  return (text) => (call === undefined ? exported(text) : call(exported, text));
}

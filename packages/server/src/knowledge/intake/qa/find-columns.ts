import { failed, type FileFailure, type FoundColumns } from "../outcome.ts";
import { contentOf, isLikeName, type ColumnContent } from "./column-content.ts";
import { CERTAINTY, claimOf, type NameClaim } from "./column-names.ts";

interface Row {
  fields: string[];
  line: number;
}

type Claims = (NameClaim | undefined)[];

/** Names of columns that a row holds. Q and A are names where both stand; a spreadsheet's own column A is none. */
function claimsOf(fields: readonly string[]): Claims {
  const claims = fields.map((field) => {
    const claim = claimOf(field);
    const isPlain = claim?.certainty === CERTAINTY.exact && claim.kind !== "other";
    return isPlain || isLikeName(field) ? claim : undefined;
  });
  const letters = fields.map((field) => /^\s*[qa]\s*$/i.test(field));
  const kinds = new Set(claims.filter((_, index) => letters[index]).map((claim) => claim?.kind));
  if (kinds.size === 2) return claims;
  return claims.map((claim, index) => (letters[index] ? undefined : claim));
}

/** The names of question and answer as the specification's own files have them. */
export function namesBothColumns(fields: readonly string[]): boolean {
  const claims = claimsOf(fields);
  return (["question", "answer"] as const).every((kind) =>
    claims.some((claim) => claim?.kind === kind && claim.certainty === CERTAINTY.exact),
  );
}

/** As many as are looked at for a header where nobody said how many rows it has. */
const HEADER_ROWS_MAX = 5;
const ROWS_LOOKED_AT = 500;
const KEY_CHARACTERS = 200;
/** Shares of the cells of a column. */
const MOST = 0.8;
const ASKS = 0.6;
const ASKS_NOT = 0.2;
/** A column with fewer cells holds neither the questions nor the answers. */
const FILLED = 0.1;

/**
 * The line of the header; rows of one cell above it are titles. Undefined: the file has none. A failure where rows above
 * could be pairs, because then the header may be data.
 */
export function findHeader(rows: readonly Row[]): number | undefined | FileFailure {
  const filled = rows.filter((row) => filledCells(row) > 0).slice(0, HEADER_ROWS_MAX + ROWS_LOOKED_AT);
  const named = filled.slice(0, HEADER_ROWS_MAX).find(({ fields }) => namesBothColumns(fields));
  const at = filled.slice(0, HEADER_ROWS_MAX).findIndex((row) => filledCells(row) > 1);
  const first = filled[at];
  if (first === undefined) return named?.line;
  if (named !== undefined && named !== first) {
    const above = filled.slice(0, filled.indexOf(named)).find((row) => filledCells(row) > 1);
    return above === undefined ? named.line : ambiguous(named, above);
  }
  if (named === first || isHeader(first.fields, filled.slice(at + 1))) return first.line;
  return undefined;
}

function filledCells({ fields }: Row): number {
  return fields.filter((field) => field.trim() !== "").length;
}

function ambiguous(header: Row, pair: Row): FileFailure {
  const detail = `line ${header.line} names the columns, but line ${pair.line} above it could be a pair: say with header_row how many rows are headers`;
  return failed("header_not_first", detail, header.line);
}

/** Whether a row that does not name both columns plainly is a header nevertheless. */
function isHeader(fields: readonly string[], body: readonly Row[]): boolean {
  if (body.length === 0) return false;
  const columns = fields.map((field, index) => ({
    field,
    cells: body.map((row) => row.fields[index] ?? ""),
  }));
  if (columns.some(({ field, cells }) => standsAboveForms(field, cells))) return true;
  const names = fields.filter((field) => field.trim() !== "");
  if (!names.every(isLikeName)) return false;
  const claims = claimsOf(fields).filter((claim) => claim !== undefined);
  const isSure = claims.some(
    ({ certainty, kind }) => certainty >= CERTAINTY.strong && (kind === "question" || kind === "answer"),
  );
  const kinds = new Set(claims.map(({ kind }) => kind));
  if (isSure || (kinds.has("question") && kinds.has("answer"))) return true;
  if (claims.length >= 2 && claims.length * 2 >= names.length) return true;
  return columns.some(({ field, cells }) => standsAboveTexts(field, cells));
}

const FORMS = new Set(["number", "code", "date", "locale", "link", "json"]);

/** A name stands above cells of another form: "Ref" above 1001 and 1002. */
function standsAboveForms(field: string, cells: readonly string[]): boolean {
  return (
    field.trim() !== "" &&
    cells.length > 1 &&
    contentOf([field]).kind === "text" &&
    FORMS.has(contentOf(cells).kind)
  );
}

/** "Term" above questions, or above sentences that are much longer. */
function standsAboveTexts(field: string, cells: readonly string[]): boolean {
  const [name, content] = [contentOf([field]), contentOf(cells)];
  if (name.kind !== "text" || name.asking > 0 || name.prose > 0 || cells.length < 2) return false;
  if (content.filled < 0.5) return false;
  return content.asking >= MOST || (content.prose >= MOST && content.medianCharacters > field.length * 3);
}

export interface TableRows {
  header: readonly string[] | undefined;
  /** Somebody said that it is a header, whatever it names. */
  isHeaderGiven: boolean;
  body: readonly string[][];
  /** Fields beyond are no columns. */
  width: number;
}

/** Which columns hold questions and answers, by the names of the header and by their cells; nothing is guessed. */
export function findColumns({ header, isHeaderGiven, body, width }: TableRows): FoundColumns {
  const rows = distinct(body).slice(0, ROWS_LOOKED_AT);
  const widest = rows.reduce((most, { length }) => Math.max(most, length), 0);
  const count = Math.max(header?.length ?? 0, Math.min(width, widest));
  const contents = Array.from({ length: count }, (_, index) =>
    contentOf(rows.map((fields) => fields[index] ?? "")),
  );
  const claims = header === undefined ? contents.map(() => undefined) : claimsOf(header);
  const alternates = claims.flatMap((claim, index) =>
    claim?.kind === "alternate" && contents[index]!.kind !== "number" ? [index] : [],
  );
  const tags = claims.findIndex((claim) => claim?.kind === "tags");
  const mapping = mappingOf({ header, isHeaderGiven, claims, contents, rows: rows.length });
  return { ...mapping, alternates, tags: tags === -1 ? undefined : tags };
}

interface Table extends Pick<TableRows, "header" | "isHeaderGiven"> {
  claims: Claims;
  contents: ColumnContent[];
  rows: number;
}

function mappingOf({ header, isHeaderGiven, claims, contents, rows }: Table): Mapping {
  const named = byName(claims, contents, rows);
  const places = { hasHeader: header !== undefined, isHeaderGiven };
  if (named === undefined) {
    const isNamed = isHeaderGiven || header === undefined || header.every((name) => isLikeName(name));
    return isNamed ? byContent(claims, contents, places) : UNCLEAR;
  }
  const isWhole = named.question !== undefined && named.answer !== undefined;
  const isSure = claims.some((claim) => isPair(claim) && claim.certainty >= CERTAINTY.strong);
  return isWhole || isSure || !isHeaderGiven ? named : byContent(claims, contents, places);
}

const isPair = (claim: NameClaim | undefined): claim is NameClaim =>
  claim?.kind === "question" || claim?.kind === "answer";

/** Without blank rows and those that only repeat another, or a pair that comes twice would look like a category. */
function distinct(body: readonly string[][]): string[][] {
  const rows = new Map<string, string[]>();
  for (const fields of body.slice(0, ROWS_LOOKED_AT * 2)) {
    const key = fields
      .map((field) =>
        field
          .slice(0, KEY_CHARACTERS)
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}]+/gu, ""),
      )
      .join("|");
    if (/[^|]/.test(key) && !rows.has(key)) rows.set(key, fields);
  }
  return [...rows.values()];
}

type Mapping = Pick<FoundColumns, "question" | "answer">;

/** Undefined: the header names neither. */
function byName(claims: Claims, contents: ColumnContent[], rows: number): Mapping | undefined {
  const question = bestOf("question", claims, contents, rows);
  const answer = bestOf("answer", claims, contents, rows);
  if (question.length === 0 && answer.length === 0) return undefined;
  const mapping: Mapping = { question: only(question), answer: only(answer) };
  if (mapping.question !== undefined && mapping.answer !== undefined)
    return isPlausible(mapping, claims, contents) ? mapping : { question: undefined, answer: undefined };
  if (question.length > 1 || answer.length > 1) return mapping;
  return withTheOther(mapping, claims, contents);
}

const only = (indexes: number[]) => (indexes.length === 1 ? indexes[0] : undefined);

/** The columns with the surest name of this kind; more than one is an open question. */
function bestOf(
  kind: "question" | "answer",
  claims: Claims,
  contents: ColumnContent[],
  rows: number,
): number[] {
  const candidates = claims.flatMap((claim, index) => {
    if (claim?.kind !== kind) return [];
    const content = contents[index]!;
    // A column of the specification's own name is one whatever it holds, unless another could be meant.
    const isText = rows === 0 || content.kind === "text" || (kind === "answer" && isTextOfFew(content, rows));
    return isText || claim.certainty === CERTAINTY.exact
      ? [{ index, certainty: claim.certainty, isText }]
      : [];
  });
  const texts = candidates.filter(({ isText }) => isText);
  const usable = texts.length > 0 ? texts : candidates;
  const best = Math.max(0, ...usable.map(({ certainty }) => certainty));
  return usable.filter(({ certainty }) => certainty === best).map(({ index }) => index);
}

/** Many questions may share an answer. */
function isTextOfFew({ kind, prose }: ColumnContent, rows: number): boolean {
  return kind === "category" && prose >= ASKS && rows > 0;
}

/** What the cells say against a mapping by names. */
function isPlausible({ question, answer }: Mapping, claims: Claims, contents: ColumnContent[]): boolean {
  const [asked, answered] = [contents[question!]!, contents[answer!]!];
  const certainty = Math.min(claims[question!]!.certainty, claims[answer!]!.certainty);
  const unclaimed = contents.some(
    ({ kind, prose }, index) =>
      index !== question &&
      index !== answer &&
      claims[index] === undefined &&
      kind === "text" &&
      prose >= ASKS,
  );
  const isOdd = (content: ColumnContent) => content.kind !== "text" && content.kind !== "empty";
  if (certainty === CERTAINTY.exact)
    return !(isOdd(asked) || (isOdd(answered) && answered.kind !== "category")) || !unclaimed;
  if (answered.asking >= ASKS && asked.asking <= ASKS_NOT) return false;
  if (asked.medianCharacters > 200 && asked.medianCharacters > answered.medianCharacters) return false;
  if (certainty <= CERTAINTY.loose && unclaimed) return false;
  return asked.filled >= 0.5 && answered.filled >= 0.5;
}

/** One of the two is named: the other is the only column left, if it can be. */
function withTheOther({ question, answer }: Mapping, claims: Claims, contents: ColumnContent[]): Mapping {
  const named = question ?? answer;
  if (named === undefined || claims[named]!.certainty < CERTAINTY.strong) return { question, answer };
  const live = contents.flatMap(({ kind }, index) => (kind === "empty" ? [] : [index]));
  const left = live.filter(
    (index) => index !== named && claims[index]?.kind !== "alternate" && claims[index]?.kind !== "tags",
  );
  const free = left.filter((index) => claims[index] === undefined && contents[index]!.kind === "text");
  const [other] = free;
  if (other === undefined || free.length > 1) return { question, answer };
  const isCertain = left.length === 1 || (answer !== undefined && contents[other]!.asking >= ASKS);
  if (!isCertain || (question !== undefined && contents[other]!.asking > contents[question]!.asking + ASKS))
    return { question, answer };
  return question === undefined ? { question: other, answer } : { question, answer: other };
}

/** Without names: a column of questions beside one of sentences, or the first and the second where there are only two. */
function byContent(
  claims: Claims,
  contents: ColumnContent[],
  { hasHeader, isHeaderGiven }: { hasHeader: boolean; isHeaderGiven: boolean },
): Mapping {
  const live = contents.flatMap(({ kind, filled }, index) =>
    kind === "empty" || filled < FILLED ? [] : [index],
  );
  const texts = live.filter((index) => contents[index]!.kind === "text" && claims[index] === undefined);
  const question = only(texts.filter((index) => contents[index]!.asking >= ASKS));
  const answer = only(texts.filter((index) => contents[index]!.asking <= ASKS_NOT));
  if (texts.length === 2 && question !== undefined && answer !== undefined && contents[answer]!.prose >= ASKS)
    return { question, answer };
  if (live.length > 2 || (hasHeader && !isHeaderGiven)) return UNCLEAR;
  // Somebody who says how many rows are headers has looked at the file.
  return inOrder(claims, contents, live, isHeaderGiven);
}

const UNCLEAR: Mapping = { question: undefined, answer: undefined };

function inOrder(claims: Claims, contents: ColumnContent[], live: number[], isLookedAt: boolean): Mapping {
  const [question, answer] = live;
  // A column of blanks alone: every row will be refused for it, and told so.
  if (question === undefined || answer === undefined) return { question: 0, answer: 1 };
  const [asked, answered] = [contents[question]!, contents[answer]!];
  if (![undefined, "question"].includes(claims[question]?.kind)) return UNCLEAR;
  if (![undefined, "answer"].includes(claims[answer]?.kind)) return UNCLEAR;
  if (asked.asking >= ASKS && (isLookedAt || answered.asking < ASKS)) return { question, answer };
  const isText = asked.kind === "text" && answered.kind === "text";
  // Titles are shorter than what they stand for: the other way round the answers could come first.
  const isTitle = asked.prose < ASKS || asked.medianCharacters <= answered.medianCharacters;
  const isInOrder = answered.asking <= ASKS_NOT && isTitle;
  return isText && (isLookedAt || isInOrder) ? { question, answer } : UNCLEAR;
}

import { TABLE_WORDS, type TableWords } from "./generated-tables/words.ts";
import { workbookOf } from "./office-files.ts";
import type { VendorFile } from "./vendor-files/table.ts";

/** Small and the same everywhere. */
function randomOf(seed: number) {
  let state = seed * 2_654_435_761 + 1;
  const next = () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) / 4_294_967_296;
  };
  for (let warm = 0; warm < 4; warm += 1) next();
  const below = (count: number) => Math.floor(next() * count);
  return {
    below,
    chance: (share: number) => next() < share,
    one: <Item>(items: readonly Item[]): Item => items[below(items.length)]!,
    shuffled: <Item>(items: readonly Item[]): Item[] =>
      items
        .map((item) => ({ item, at: next() }))
        .toSorted((one, other) => one.at - other.at)
        .map(({ item }) => item),
  };
}
type Random = ReturnType<typeof randomOf>;

interface Column {
  name: string;
  cells: string[];
  role?: "question" | "answer";
}

const AUTHORS = ["Ada Byron", "Grace H.", "agent", "Li Lei"];
const digits = (random: Random, count: number) =>
  Array.from({ length: count }, () => String(random.below(10))).join("");

/** Columns that nobody asks or answers with, as exports put them anywhere. */
const NOISE: readonly ((random: Random, rows: number, words: TableWords) => Column)[] = [
  (random, rows) =>
    columnOf(random.one(["Article ID", "id", "Ref", "No.", "#"]), rows, (row) => String(360_001 + row)),
  (random, rows) => columnOf(random.one(["ID", "Key", "external_id"]), rows, (row) => `FAQ-${100 + row}`),
  (random, rows) => columnOf("uuid", rows, () => `${digits(random, 8)}-ab12-4c3d-9e8f-${digits(random, 12)}`),
  (random, rows) =>
    columnOf(
      random.one(["updated_at", "Created", "Datum"]),
      rows,
      (row) => `2026-0${1 + (row % 9)}-14T10:00:00Z`,
    ),
  (random, rows) =>
    columnOf(random.one(["Last modified", "Erstellt am"]), rows, (row) => `1${row % 9}.03.2026 09:30`),
  (_random, rows, { language }) => columnOf("Locale", rows, () => language),
  (random, rows) =>
    columnOf(
      random.one(["URL", "html_url", "Link"]),
      rows,
      (row) => `https://help.example.com/articles/${row + 1}`,
    ),
  (random, rows, { category, categories }) => columnOf(category, rows, () => random.one(categories)),
  (random, rows) => columnOf(random.one(["Status", "state"]), rows, () => random.one(["published", "draft"])),
  (random, rows) => columnOf(random.one(["Views", "vote_sum"]), rows, () => String(random.below(5_000))),
  (random, rows) => columnOf(random.one(["Author", "author_name"]), rows, () => random.one(AUTHORS)),
  (random, rows) => columnOf(random.one(["draft", "Active"]), rows, () => random.one(["true", "false"])),
  (random, rows) =>
    columnOf(random.one(["Labels", "Tags"]), rows, () => random.one(["refund,money", "order", "app, login"])),
  (random, rows) => columnOf("email", rows, () => `${random.one(["ada", "bo", "cy"])}@example.com`),
];

function columnOf(name: string, rows: number, cell: (row: number) => string): Column {
  return { name, cells: Array.from({ length: rows }, (_, row) => cell(row)) };
}

/** Two columns of texts that a reader could take for the answer. */
const SUMMARY = (rows: number): Column =>
  columnOf("Internal note", rows, (row) => `Checked by the team in week ${row + 1} of the year.`);

const html = (answer: string) => `<p>${answer}</p><ul><li><strong>!</strong></li></ul>`;

function answersOf(random: Random, { pairs }: TableWords): (answer: string, row: number) => string {
  const look = random.below(4);
  if (look === 0) return html;
  if (look > 1) return (answer) => answer;
  const all = pairs.map(([, , answer]) => answer).join(" ");
  return (answer, row) => `${answer}\n\n${`${all} `.repeat(1 + (row % 3))}`;
}

interface Shape {
  /** How the columns are named: as questions, as articles, or not at all. */
  naming: "pairs" | "articles" | "none";
  titles: boolean;
  noise: number;
  delimiter: "," | ";" | "\t" | undefined;
}

/** One table in the shape of an export, with what is in it; the same for the same number. */
export function generatedTable(seed: number): VendorFile & { shape: Shape } {
  const random = randomOf(seed);
  const words = random.one(TABLE_WORDS);
  const naming = random.one(["pairs", "pairs", "articles", "articles", "none"] as const);
  const delimiter = random.one([",", ",", ";", "\t", undefined] as const);
  const shape = {
    naming,
    delimiter,
    titles: naming !== "none" && random.chance(0.25),
    noise: random.below(8),
  };
  const columns = columnsOf(random, words, shape);
  const rows = columns[0]!.cells.map((_, row) => columns.map(({ cells }) => cells[row]!));
  const width = columns.length;
  const titleRows = shape.titles
    ? ["Help centre export", "Updated in November"].map((title) => [
        title,
        ...Array<string>(width - 1).fill(""),
      ])
    : [];
  const header = naming === "none" ? [] : [columns.map(({ name }) => name)];
  const all = [...titleRows, ...header, ...rows];
  const place = (role: Column["role"]) => columns.findIndex((column) => column.role === role) + 1;
  return {
    name: `table ${seed}: ${words.language} ${JSON.stringify(shape)} ${columns.map(({ name }) => name).join("|")}`,
    fileName: delimiter === undefined ? "export.xlsx" : "export.csv",
    bytes: delimiter === undefined ? workbookOf({ Sheet1: all }) : Buffer.from(csvOf(all, delimiter)),
    columns: [place("question"), place("answer")],
    headerRows: titleRows.length + header.length,
    shape,
  };
}

function columnsOf(random: Random, words: TableWords, { naming, noise }: Shape): Column[] {
  const pairs = random.shuffled(words.pairs).slice(0, 3 + random.below(4));
  const answerCell = answersOf(random, words);
  const asks = naming === "articles" ? random.chance(0.3) : random.chance(0.8);
  const question: Column = {
    role: "question",
    name: random.one(naming === "articles" ? words.title : words.question),
    cells: pairs.map(([asked, title]) => (asks ? asked : title)),
  };
  const answer: Column = {
    role: "answer",
    name: random.one(naming === "articles" ? words.body : words.answer),
    cells: pairs.map(([, , text], row) => answerCell(text, row)),
  };
  const chosen = random.shuffled(NOISE).slice(0, noise);
  const others = chosen.map((make) => make(random, pairs.length, words));
  if (noise > 4 && random.chance(0.3)) others.push(SUMMARY(pairs.length));
  return random.shuffled([question, answer, ...others]);
}

function csvOf(rows: string[][], delimiter: string): string {
  const quoted = (cell: string) =>
    /["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
  return rows.map((row) => `${row.map(quoted).join(delimiter)}\r\n`).join("");
}

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Pairs an agent knows, and questions whose right group of pairs is known. */
export interface Dataset {
  pairs: { question: string; answer: string; group: string }[];
  queries: { text: string; group: string }[];
  /** Questions that nothing here answers. */
  outOfScope: string[];
}

interface StackThread {
  question: string;
  answer: string | string[];
  rephr: string | (string | null)[];
}

/** 125 threads of Stack Exchange with their answers, and paraphrases of each question written by people. */
export async function readStackFaq(directory: string): Promise<Dataset> {
  const text = await readFile(join(directory, "stackfaq/stackExchange-FAQ.json"), "utf8");
  const { root } = JSON.parse(text) as { root: { qapair: StackThread[] } };
  const pairs: Dataset["pairs"] = [];
  const queries: Dataset["queries"] = [];
  for (const { question, answer, rephr } of root.qapair) {
    for (const one of [answer].flat()) pairs.push({ question, answer: one, group: question });
    for (const one of [rephr].flat())
      if (one !== null && one.trim() !== "" && one.trim() !== "*")
        queries.push({ text: one, group: question });
  }
  return { pairs, queries, outOfScope: [] };
}

/** An intent is a pair with `each` examples; its answer says nothing, so that only questions are compared. */
function fewShot(rows: [text: string, intent: string][], each: number): Dataset["pairs"] {
  const taken = new Map<string, number>();
  const intents = [...new Set(rows.map(([, intent]) => intent))];
  return rows.flatMap(([question, group]) => {
    const count = taken.get(group) ?? 0;
    if (count >= each) return [];
    taken.set(group, count + 1);
    return [{ question, answer: `x${intents.indexOf(group)}`, group }];
  });
}

export async function readBanking77(directory: string, each: number): Promise<Dataset> {
  const rows = async (name: string) =>
    csvRows(await readFile(join(directory, "banking77", name), "utf8"))
      .slice(1)
      .map(([text = "", intent = ""]): [string, string] => [text, intent]);
  const test = await rows("test.csv");
  return {
    pairs: fewShot(await rows("train.csv"), each),
    queries: test.map(([text, group]) => ({ text, group })),
    outOfScope: [],
  };
}

export async function readClinc150(directory: string, each: number): Promise<Dataset> {
  const text = await readFile(join(directory, "clinc150/data_full.json"), "utf8");
  const data = JSON.parse(text) as Record<"train" | "test" | "oos_test", [string, string][]>;
  return {
    pairs: fewShot(data.train, each),
    queries: data.test.map(([query, group]) => ({ text: query, group })),
    outOfScope: data.oos_test.map(([query]) => query),
  };
}

/** The Debian FAQ as pairs of heading and section; questions are headings with a share of their characters dropped. */
export async function readDebianFaq(
  directory: string,
  language: string,
  { dropped, seeds }: { dropped: number; seeds: number[] },
): Promise<Dataset> {
  const folder = join(directory, "debian-faq", language);
  const names = (await readdir(folder)).filter((name) => name.endsWith(".html") && !name.startsWith("index"));
  const pairs: Dataset["pairs"] = [];
  for (const name of names.toSorted()) {
    const html = await readFile(join(folder, name), "utf8");
    const headings = [...html.matchAll(/<h([2-4]) class="title"><a id="([^"]+)"><\/a>([\s\S]*?)<\/h\1>/g)];
    for (const [index, heading] of headings.entries()) {
      const body = html.slice(heading.index + heading[0].length, headings[index + 1]?.index ?? html.length);
      pairs.push({
        question: plainText(heading[3] ?? "").replace(/^[\d.]+\s*/, ""),
        answer: [...plainText(body)].slice(0, 20_000).join("") || "-",
        group: heading[2] ?? "",
      });
    }
  }
  const queries = seeds.flatMap((seed) => {
    const chance = randomNumbers(seed);
    return pairs.map(({ question, group }) => ({
      text: [...question].filter(() => chance() >= dropped).join(""),
      group,
    }));
  });
  return { pairs, queries: queries.filter(({ text }) => text.trim() !== ""), outOfScope: [] };
}

function plainText(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll(/&[a-z]+;/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    if (end === "" && quoted === undefined && plain === "" && row.length === 0) break;
    row.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** The same numbers for the same seed, on every machine (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

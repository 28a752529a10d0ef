import { existsSync } from "node:fs";
import { join } from "node:path";

const SETS: Record<string, string> = {
  stackfaq: "stackfaq/stackExchange-FAQ.json",
  banking77: "banking77/test.csv",
  clinc150: "clinc150/data_full.json",
  "debian-faq": "debian-faq/en/debian-faq.en.txt",
};

/** Ends the process with what to do where a set is not there: the sets are not ours to ship. */
export function requireData(directory: string | undefined): string {
  const missing =
    directory === undefined
      ? Object.keys(SETS)
      : Object.keys(SETS).filter((name) => !existsSync(join(directory, SETS[name]!)));
  if (directory !== undefined && missing.length === 0) return directory;
  console.error(
    [
      directory === undefined
        ? "Name the folder of the evaluation sets: --data DIR, or SIGNALBOX_EVAL_DATA."
        : `${directory} lacks ${missing.map((name) => SETS[name]).join(", ")}.`,
      "Where to get the sets and how to lay them out stands in docs/explanation/knowledge.md under Evaluation.",
    ].join("\n"),
  );
  process.exit(1);
}

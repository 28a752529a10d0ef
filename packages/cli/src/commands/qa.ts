import { type Command, oneOf, required, UsageError } from "../command.ts";
import { exportPairs } from "../qa/export.ts";
import { importFiles } from "../qa/import.ts";

const ACTIONS = ["import", "export"] as const;

export const qaCommand: Command = {
  name: "qa",
  summary: "Bring files of questions and answers to the agent, or its pairs back",
  about: [
    "import reads CSV files and workbooks of this machine as the service itself reads them (docs/explanation/knowledge.md), and .json files that export wrote. Each file becomes a document of its name. Every row that is no pair is told, with its line, the cause and what to do. A document of that name is left alone unless --replace is given; one that fits a request (10,000 pairs and 8 MB) is then replaced all at once and keeps its id, of a larger one the old document stays until the new one is whole. Rows that say the same are kept once, a question with two answers is kept with both.",
    "A request that got no answer is sent again without acting twice. Where that does not help, it is said how many pairs are there.",
    "export writes the pairs of the documents named, of a base, or of the whole agent to standard output: as CSV, or with --json with their documents. Importing it again gives the same pairs; blanks around a text, repeated pairs and line breaks within an alternate outlast only JSON.",
    "import exits with 1 when a file or a row was rejected. Needs the agent's key, but for --dry-run.",
  ],
  arguments: [
    { name: "ACTION", summary: "What to do", required: true, choices: ACTIONS },
    { name: "NAME", summary: "Files to import, or ids of documents to export", many: true },
  ],
  options: [
    {
      name: "base",
      value: "ID",
      summary: "Into or from this knowledge base; by default into the agent's default one, and from all",
    },
    { name: "dry-run", summary: "Send nothing, only say which rows would be pairs and which not" },
    { name: "replace", summary: "Take the place of documents of the same name" },
    { name: "name", value: "NAME", summary: "What the document is called; the name of the file by default" },
    { name: "header-rows", value: "N", summary: "How many rows are headers, 0 to 5; found out by default" },
    { name: "delimiter", value: "C", summary: "What stands between fields; found out by default" },
  ],
  examples: [
    "signalbox qa import faq.csv --dry-run",
    "signalbox qa import faq.csv prices.xlsx",
    "signalbox qa import faq.csv --replace",
    "signalbox qa export > faq.csv",
    "signalbox qa export --json > backup.json",
  ],
  run(context) {
    const [action, ...names] = context.arguments;
    if (oneOf(action, ACTIONS, "ACTION") === "export") return exportPairs(context, names);
    required(names[0], "a file to import");
    if (new Set(names).size < names.length) throw new UsageError("a file is named twice");
    return importFiles(context, names);
  },
};

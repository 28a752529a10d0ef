import { type Command, oneOf, required, UsageError } from "../command.ts";
import { exportPairs } from "../qa/export.ts";
import { importFiles } from "../qa/import.ts";

const ACTIONS = ["import", "export"] as const;

export const qaCommand: Command = {
  name: "qa",
  summary: "Import and export questions and answers",
  about: [
    "import reads local CSV files, workbooks, and .json files written by export. Each file becomes a document with the file's name. Every rejected row is listed with its line, the cause and the fix. Duplicate rows are stored once; a question with two answers keeps both.",
    "An existing document with the same name stays unchanged unless you give --replace. Up to 10,000 pairs and 8 MB are replaced in one step and keep the document's id. A larger document stays until its replacement is complete.",
    "export writes pairs to standard output: of the named documents, of one knowledge base, or of the whole agent. The format is CSV, or JSON with --json. Only JSON keeps surrounding spaces, repeated pairs and line breaks within alternates.",
    "import exits with 1 if a file or row was rejected. Interrupted requests are retried without duplicates. Requires an API key, except with --dry-run.",
  ],
  arguments: [
    { name: "ACTION", summary: "Action to run", required: true, choices: ACTIONS },
    { name: "NAME", summary: "Files to import, or document ids to export", many: true },
  ],
  options: [
    {
      name: "base",
      value: "ID",
      summary:
        "Knowledge base to import into or export from; by default the agent's default one, or all for export",
    },
    { name: "dry-run", summary: "Only check the files; store nothing" },
    { name: "replace", summary: "Replace documents with the same name" },
    { name: "name", value: "NAME", summary: "Name of the document; the file name by default" },
    { name: "header-rows", value: "N", summary: "Number of header rows, 0 to 5; detected by default" },
    { name: "delimiter", value: "C", summary: "Field delimiter; detected by default" },
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
    required(names[0], "A file to import");
    if (new Set(names).size < names.length) throw new UsageError("A file is named twice");
    return importFiles(context, names);
  },
};

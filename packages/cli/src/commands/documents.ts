import { csvField, type DocumentRevision } from "@signalbox/contract";
import { AGENT_OPTION, agentOf } from "../agent-of.ts";
import { type Command, type CommandContext, oneOf, required, UsageError, wholeNumber } from "../command.ts";
import { exportPairs } from "../documents/export.ts";
import { importFiles, tellHeld } from "../documents/import.ts";
import { isOver, revisionOf } from "../documents/importer.ts";
import { previewFile, tryFiles } from "../documents/preview.ts";
import { READING_OPTIONS } from "../documents/reading-options.ts";
import { until } from "../documents/upload.ts";
import { EXIT_CODES, exitCodeFor, type ExitCode } from "../exit-codes.ts";
import { given } from "../given-fields.ts";
import { timeText } from "../output.ts";

const ACTIONS = ["list", "import", "export", "preview", "history", "restore", "publish", "refused"] as const;

export const documentsCommand: Command = {
  name: "documents",
  summary: "Import and export questions and answers, list documents, and roll an import back",
  about: [
    "import takes CSV, XLSX, PDF, DOCX, HTML, Markdown and text files, and JSON written by an export. Each file becomes a document with the file's name; of an export as JSON, each document becomes one again. Every refused row is listed with its cause and the fix. Duplicate rows are stored once; a question with two answers keeps both.",
    "A document of the same name stays as it is: --update replaces it, in one step, and its id stays. --replace names the document to replace.",
    "import --dry-run needs no service. It shows the columns with a sample, which of them are read, and the first three pairs. Where the columns are not certain, nothing is guessed: --question-column and --answer-column name them. preview uploads the file and also compares it with the knowledge base.",
    "export writes pairs to standard output: of the named documents, of one knowledge base, or of the whole agent. The format is CSV, or JSON with --json; pairs export also writes XLSX. Importing the file gives the same pairs. Only JSON keeps the documents, and line breaks within alternates.",
    "An import that makes a saved question fail can be held back (see saved-questions). publish publishes it anyway.",
    "history lists the imports and changes of a document. restore brings the pairs of an earlier revision back, as a new one: the content before an import, for example. --revision 0 takes back the first import of a document and leaves it without pairs. The last ten contents of a document are kept, for 90 days. refused writes the rows that an import left out to standard output, as CSV.",
    "import exits with 1 if a file or a row was refused. import and export only require an API key with the scope knowledge. Without an API key, or with --agent, import sends the file in parts with an operator token. The other actions require a token with the scope knowledge or manage; list, history and refused only require read.",
  ],
  arguments: [
    { name: "ACTION", summary: "Action to run; list by default", choices: ACTIONS },
    { name: "NAME", summary: "Files to import, or ids of documents", many: true },
  ],
  options: [
    AGENT_OPTION,
    {
      name: "base",
      value: "ID",
      summary: "Knowledge base; the agent's default one if omitted, or all for export",
    },
    {
      name: "dry-run",
      summary: "import: only read the file, without the service, and show its columns and first pairs",
    },
    { name: "update", summary: "import: replace the document of the same name, if there is one" },
    { name: "replace", value: "ID", summary: "preview, import: document to replace; a new one if omitted" },
    { name: "name", value: "NAME", summary: "import: name of the document; the file name by default" },
    ...READING_OPTIONS,
    {
      name: "revision",
      value: "N",
      summary:
        "restore: the revision to bring back; publish: the one that is held back; refused: the import, by default the last one",
    },
  ],
  examples: [
    "signalbox documents import faq.csv --dry-run",
    "signalbox documents import faq.csv prices.xlsx manual.pdf",
    "signalbox documents import faq.csv --update",
    "signalbox documents import faq.xlsx --header-rows 3 --question-column 4 --answer-column 5",
    "signalbox documents export > faq.csv",
    "signalbox documents export --json > backup.json",
    "signalbox documents restore DOCUMENT --revision 1",
    "signalbox documents refused DOCUMENT > refused.csv",
  ],
  runsService: (options) => options.isOn("dry-run"),
  async run(context) {
    const { client, options } = context;
    const [action, ...names] = context.arguments;
    const chosen = oneOf(action ?? "list", ACTIONS, "ACTION");
    if (chosen === "export") return exportPairs(context, names);
    if (chosen === "import")
      return options.isOn("dry-run") ? tryFiles(context, names) : importFiles(context, names);
    const [name, another] = names;
    if (another !== undefined) throw new UsageError(`Unexpected argument ${another}`);
    if (chosen === "preview") return previewFile(context, required(name, "a file"));
    const agentId = await agentOf(client(), options.text("agent"));
    if (chosen === "list") return list(context, agentId);
    const document = required(name, "the document's id");
    switch (chosen) {
      case "history":
        return history(context, agentId, document);
      case "restore":
        return restore(context, agentId, document);
      case "publish":
        return publish(context, agentId, document);
      default:
        return refused(context, agentId, document);
    }
  },
};

async function list({ client, options, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const documents = await Array.fromAsync(
    client().documents.list({ agent_id, limit: 100, ...given({ knowledge_base_id: options.text("base") }) }),
  );
  output.result({ list: documents }, () =>
    output.table(
      ["name", "pairs", "status", "updated (UTC)", "doc_id"],
      documents.map(({ doc_name, pairs, status, update_time, doc_id }) => [
        doc_name,
        String(pairs),
        status,
        timeText(update_time),
        doc_id,
      ]),
    ),
  );
  return EXIT_CODES.ok.code;
}

async function publish(context: CommandContext, agent_id: string, doc_id: string): Promise<ExitCode> {
  const { client, options, output } = context;
  const revision = wholeNumber(required(options.text("revision"), "--revision"), "--revision") ?? 0;
  const published = await client().documents.publish({ agent_id, doc_id, revision });
  output.result(published, () => output.line(`Published ${published.pairs} pairs of revision ${revision}.`));
  return EXIT_CODES.ok.code;
}

async function restore(context: CommandContext, agent_id: string, doc_id: string): Promise<ExitCode> {
  const { client, options, output } = context;
  const revision = wholeNumber(required(options.text("revision"), "--revision"), "--revision") ?? 0;
  const begun = await client().documents.restore({ agent_id, doc_id, revision });
  const ended = await until(begun, () => revisionOf(client(), agent_id, begun), isOver);
  output.result(ended, () => {
    if (ended.state === "held") tellHeld(output.line, ended);
    else
      output.line(
        ended.state === "failed"
          ? `Not restored: ${ended.detail} (${ended.cause})`
          : `Restored ${ended.pairs} pairs of revision ${revision} as revision ${ended.revision}.`,
      );
  });
  return exitCodeFor(ended.state !== "failed" && ended.state !== "held");
}

async function revisionsOf(
  { client }: CommandContext,
  agent_id: string,
  doc_id: string,
): Promise<DocumentRevision[]> {
  return (await client().documents.listRevisions({ agent_id, doc_id, limit: 100 })).list;
}

async function history(context: CommandContext, agent_id: string, doc_id: string): Promise<ExitCode> {
  const { output } = context;
  const revisions = await revisionsOf(context, agent_id, doc_id);
  output.result({ list: revisions }, () =>
    output.table(
      ["revision", "at (UTC)", "change", "state", "restorable", "by", "pairs", "refused", "file"],
      revisions.map(
        ({ revision, create_time, change, state, can_restore, author, pairs, rejected, file_name }) => [
          String(revision),
          timeText(create_time),
          change,
          state,
          can_restore ? "yes" : "",
          author?.actor_name ?? "",
          String(pairs),
          String(rejected),
          file_name ?? "",
        ],
      ),
    ),
  );
  return EXIT_CODES.ok.code;
}

async function refused(context: CommandContext, agent_id: string, doc_id: string): Promise<ExitCode> {
  const { client, options, output } = context;
  const named = wholeNumber(options.text("revision"), "--revision");
  const revision =
    named ??
    (await revisionsOf(context, agent_id, doc_id)).find(({ change }) => change === "import")?.revision ??
    1;
  const rows = await client().documents.listRefusedRows({ agent_id, doc_id, revision });
  output.result(rows, () => {
    output.line("row,column,problem");
    for (const { line, column, detail, cells } of rows.list)
      output.line([String(line ?? ""), String(column ?? ""), detail, ...cells].map(csvField).join(","));
    if (rows.total > rows.list.length)
      output.note(`${rows.total - rows.list.length} further rows were not kept`);
  });
  return EXIT_CODES.ok.code;
}

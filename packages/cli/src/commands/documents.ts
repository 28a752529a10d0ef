import {
  csvField,
  type DocumentRevision,
  type KnowledgeDocument,
  type UploadPreview,
} from "@signalbox/contract";
import { AGENT_OPTION, agentOf } from "../agent-of.ts";
import { type Command, type CommandContext, oneOf, required, wholeNumber } from "../command.ts";
import { until, uploadFile } from "../documents/upload.ts";
import { EXIT_CODES, exitCodeFor, type ExitCode } from "../exit-codes.ts";
import { given } from "../given-fields.ts";
import { timeText } from "../output.ts";
import { fixFor } from "../qa/fixes.ts";
import { requireFile } from "../qa/read-file.ts";

const ACTIONS = ["list", "preview", "import", "history", "restore", "publish", "refused"] as const;

export const documentsCommand: Command = {
  name: "documents",
  summary: "List documents, import a file of any supported kind, and roll an import back",
  about: [
    "preview uploads a file and shows how it would be read: header row, columns, problems by row and column, and what differs from the knowledge base. import does the same for good. Both accept CSV, XLSX, PDF, DOCX, HTML, Markdown and text.",
    "An import that makes a saved question fail can be held back (see saved-questions). publish publishes it anyway.",
    "history lists the imports and changes of a document. restore brings the pairs of an earlier revision back, as a new one: the content before an import, for example. --revision 0 takes back the first import of a document and leaves it without pairs. The last ten contents of a document are kept, for 90 days. refused writes the rows that an import left out to standard output, as CSV.",
    "import exits with 1 if the file or a row was refused. Requires a token with the scope knowledge or manage; list, history and refused only require read.",
  ],
  arguments: [
    { name: "ACTION", summary: "Action to run; list by default", choices: ACTIONS },
    { name: "NAME", summary: "File to preview or import, or id of the document" },
  ],
  options: [
    AGENT_OPTION,
    { name: "base", value: "ID", summary: "Knowledge base; the agent's default one if omitted" },
    { name: "replace", value: "ID", summary: "preview, import: document to replace; a new one if omitted" },
    {
      name: "header-rows",
      value: "N",
      summary: "preview, import: rows up to and including the header, 0 to 20; detected by default",
    },
    { name: "delimiter", value: "C", summary: "preview, import: field delimiter; detected by default" },
    { name: "question-column", value: "N", summary: "preview, import: column of questions, from 1" },
    { name: "answer-column", value: "N", summary: "preview, import: column of answers, from 1" },
    {
      name: "revision",
      value: "N",
      summary:
        "restore: the revision to bring back; publish: the one that is held back; refused: the import, by default the last one",
    },
  ],
  examples: [
    "signalbox documents preview faq.xlsx",
    "signalbox documents import faq.xlsx --header-rows 3",
    "signalbox documents import manual.pdf",
    "signalbox documents restore DOCUMENT --revision 1",
    "signalbox documents refused DOCUMENT > refused.csv",
  ],
  async run(context) {
    const [action, name] = context.arguments;
    const chosen = oneOf(action ?? "list", ACTIONS, "ACTION");
    if (chosen === "preview" || chosen === "import") await requireFile(required(name, "a file"));
    const agentId = await agentOf(context.client(), context.options.text("agent"));
    switch (chosen) {
      case "preview":
        return previewFile(context, agentId, required(name, "a file"));
      case "import":
        return importFile(context, agentId, required(name, "a file"));
      case "history":
        return history(context, agentId, required(name, "the document's id"));
      case "restore":
        return restore(context, agentId, required(name, "the document's id"));
      case "publish":
        return publish(context, agentId, required(name, "the document's id"));
      case "refused":
        return refused(context, agentId, required(name, "the document's id"));
      default:
        return list(context, agentId);
    }
  },
};

async function list({ client, options, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const documents: KnowledgeDocument[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await client().listAgentDocuments({
      agent_id,
      limit: 100,
      ...given({ knowledge_base_id: options.text("base"), cursor: cursor ?? undefined }),
    });
    documents.push(...page.list);
    cursor = page.next_cursor;
  } while (cursor !== null);
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

function readingOf({ options }: CommandContext) {
  const [question, answer] = ["question-column", "answer-column"].map((name) =>
    wholeNumber(options.text(name), `--${name}`),
  );
  const isChosen = question !== undefined || answer !== undefined;
  return given({
    header_rows: wholeNumber(options.text("header-rows"), "--header-rows"),
    delimiter: options.text("delimiter"),
    columns: isChosen ? { question: question ?? 1, answer: answer ?? 2, alternates: [] } : undefined,
    doc_id: options.text("replace"),
    knowledge_base_id: options.text("base"),
  });
}

async function upload({ client, output }: CommandContext, agentId: string, path: string): Promise<string> {
  const bar = output.bar(path);
  const { upload_id } = await uploadFile(client(), agentId, path, (sent, all) => bar.show(sent, all));
  bar.end();
  return upload_id;
}

async function previewFile(context: CommandContext, agent_id: string, path: string): Promise<ExitCode> {
  const { client, output } = context;
  const upload_id = await upload(context, agent_id, path);
  const asked = await client().previewUpload({ agent_id, upload_id, ...readingOf(context) });
  const { preview } =
    asked.preview === null
      ? await until(
          () => client().getUpload({ agent_id, upload_id }),
          (seen) => seen.preview !== null,
        )
      : asked;
  await client().deleteUpload({ agent_id, upload_id });
  if (preview === null) return EXIT_CODES.notWell.code;
  output.result(preview, () => tellPreview(context, preview));
  return exitCodeFor(preview.failure === null && preview.rejected === 0);
}

function tellPreview({ output }: CommandContext, preview: UploadPreview): void {
  const { failure, pairs, rejected, duplicates, sections, header_rows, columns, existing, problems } =
    preview;
  if (failure !== null) output.line(`Cannot be imported: ${failure.detail} (${failure.cause})`);
  else
    output.line(
      `${pairs} pairs, ${rejected} refused, ${duplicates} duplicates${sections > 0 ? `, ${sections} sections` : ""}`,
    );
  if (columns !== null)
    output.line(
      `Header row: ${header_rows ?? 0}. Question: column ${columns.question}. Answer: column ${columns.answer}.`,
    );
  if (existing.same + existing.contradictions > 0)
    output.line(
      `In the knowledge base: ${existing.same} already there, ${existing.contradictions} with another answer`,
    );
  tellProblems(output, problems);
}

function tellProblems(output: CommandContext["output"], problems: UploadPreview["problems"]): void {
  for (const { line, column, cause, detail } of problems) {
    const place = [
      line === undefined ? [] : `row ${line}`,
      column === undefined ? [] : `column ${column}`,
    ].flat();
    output.line(`    ${place.length === 0 ? "" : `${place.join(", ")}: `}${detail} (${cause})`);
    const fix = fixFor(cause);
    if (fix !== undefined) output.line(`        ${fix}`);
  }
}

async function importFile(context: CommandContext, agent_id: string, path: string): Promise<ExitCode> {
  const { client, output } = context;
  const upload_id = await upload(context, agent_id, path);
  const accepted = await client().importUpload({ agent_id, upload_id, ...readingOf(context) });
  const { doc_id } = accepted;
  const ended = await ending(context, agent_id, accepted);
  output.result(ended, () => {
    if (ended.state === "failed") output.line(`Not imported: ${ended.detail} (${ended.cause})`);
    else if (ended.state === "held") tellHeld(output, ended);
    else output.line(`Imported ${ended.pairs} pairs into document ${doc_id}; ${ended.rejected} rows refused`);
    tellProblems(output, ended.problems);
  });
  return exitCodeFor(ended.state !== "failed" && ended.state !== "held" && ended.rejected === 0);
}

function tellHeld(output: CommandContext["output"], { doc_id, revision, detail }: DocumentRevision): void {
  output.line(`Held back: ${detail}`);
  output.line(`To publish it anyway: signalbox documents publish ${doc_id} --revision ${revision}`);
}

async function publish(context: CommandContext, agent_id: string, doc_id: string): Promise<ExitCode> {
  const { client, options, output } = context;
  const revision = wholeNumber(required(options.text("revision"), "--revision"), "--revision") ?? 0;
  const published = await client().publishRevision({ agent_id, doc_id, revision });
  output.result(published, () => output.line(`Published ${published.pairs} pairs of revision ${revision}.`));
  return EXIT_CODES.ok.code;
}

function ending(
  context: CommandContext,
  agent_id: string,
  begun: DocumentRevision,
): Promise<DocumentRevision> {
  return until(
    async () =>
      (await revisionsOf(context, agent_id, begun.doc_id)).find(
        ({ revision }) => revision === begun.revision,
      ) ?? begun,
    ({ state }) => state !== "waiting" && state !== "working",
  );
}

async function restore(context: CommandContext, agent_id: string, doc_id: string): Promise<ExitCode> {
  const { client, options, output } = context;
  const revision = wholeNumber(required(options.text("revision"), "--revision"), "--revision") ?? 0;
  const ended = await ending(
    context,
    agent_id,
    await client().restoreRevision({ agent_id, doc_id, revision }),
  );
  output.result(ended, () => {
    if (ended.state === "held") tellHeld(output, ended);
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
  return (await client().listRevisions({ agent_id, doc_id, limit: 100 })).list;
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
  const rows = await client().listRefusedRows({ agent_id, doc_id, revision });
  output.result(rows, () => {
    output.line("row,column,problem");
    for (const { line, column, detail, cells } of rows.list)
      output.line([String(line ?? ""), String(column ?? ""), detail, ...cells].map(csvField).join(","));
    if (rows.total > rows.list.length)
      output.note(`${rows.total - rows.list.length} further rows were not kept`);
  });
  return EXIT_CODES.ok.code;
}

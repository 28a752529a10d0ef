import type { Pair, PairVersion } from "@signalbox/contract";
import { AGENT_OPTION, agentOf } from "../agent-of.ts";
import { type Command, type CommandContext, oneOf, required, UsageError, wholeNumber } from "../command.ts";
import { EXIT_CODES, type ExitCode, exitCodeFor } from "../exit-codes.ts";
import { given } from "../given-fields.ts";
import { timeText } from "../output.ts";
import { writeExport } from "../write-export.ts";

const ACTIONS = ["list", "add", "edit", "tag", "tags", "delete", "history", "restore", "export"] as const;
const FORMATS = ["csv", "xlsx", "json"] as const;
/** A large knowledge base takes its time. */
const EXPORT_MS = 600_000;

export const pairsCommand: Command = {
  name: "pairs",
  summary: "List, search, add, edit, tag, delete, restore and export questions and answers",
  about: [
    "A change takes effect at once. Each one is a version with its author and time: history lists them, and restore brings one back, also of a deleted pair.",
    "edit changes only what you give; --alternate replaces all alternates, and --tag all tags. tag adds and removes tags of several pairs; tags lists the tags in use. Replacing a document gives its pairs new ids.",
    "export writes all pairs of the agent, of a knowledge base or of a document, as CSV, XLSX or JSON. Importing the file with documents import gives the same pairs. documents export does the same with an API key.",
    "Requires a token with the scope knowledge or manage; list, history and export only require read.",
  ],
  arguments: [
    { name: "ACTION", summary: "Action to run; list by default", choices: ACTIONS },
    {
      name: "PAIR",
      summary: "Id of the pair to edit, tag, delete or restore, or whose history to list",
      many: true,
    },
  ],
  options: [
    AGENT_OPTION,
    { name: "base", value: "ID", summary: "Knowledge base; the agent's default one if omitted" },
    { name: "doc", value: "ID", summary: "Document to list or export, or to add to" },
    {
      name: "text",
      value: "WORDS",
      summary: "list: only pairs with these words, or words that begin with them",
    },
    { name: "limit", value: "N", summary: "list: how many at most; 50 by default" },
    { name: "question", value: "TEXT", summary: "add, edit: the question" },
    { name: "answer", value: "TEXT", summary: "add, edit: the answer" },
    {
      name: "alternate",
      value: "TEXT",
      summary: "add, edit: another way to ask it",
      many: true,
    },
    {
      name: "tag",
      value: "TAG",
      summary: "list: only pairs with it; add, edit: a tag of it",
      many: true,
    },
    { name: "add-tag", value: "TAG", summary: "tag: a tag to add", many: true },
    { name: "remove-tag", value: "TAG", summary: "tag: a tag to remove", many: true },
    { name: "format", value: "FORMAT", summary: "export: csv by default", choices: FORMATS },
    { name: "out", value: "FILE", summary: "export: file to write; standard output if omitted" },
    { name: "version", value: "N", summary: "restore: the version to bring back" },
  ],
  examples: [
    'signalbox pairs list --text "opening hours"',
    'signalbox pairs edit PAIR --answer "At noon."',
    'signalbox pairs add --question "Do you ship abroad?" --answer "Yes." --alternate "International shipping?"',
    'signalbox pairs tag PAIR PAIR --add-tag "opening hours"',
    "signalbox pairs restore PAIR --version 1",
    "signalbox pairs export --format xlsx --out pairs.xlsx",
  ],
  async run(context) {
    const [action, id, ...more] = context.arguments;
    const agentId = await agentOf(context.client(), context.options.text("agent"));
    const chosen = oneOf(action ?? "list", ACTIONS, "ACTION");
    if (chosen === "list") return list(context, agentId);
    if (chosen === "add") return add(context, agentId);
    if (chosen === "export") return exportPairs(context, agentId);
    if (chosen === "tags") return listTags(context, agentId);
    const pair = { agent_id: agentId, pair_id: required(id, "the pair's id") };
    if (chosen === "tag") return tag(context, agentId, [pair.pair_id, ...more]);
    switch (chosen) {
      case "edit":
        return edit(context, pair);
      case "delete":
        return remove(context, pair);
      case "history":
        return history(context, pair);
      default:
        return restore(context, pair);
    }
  },
};

interface PairNamed {
  agent_id: string;
  pair_id: string;
}

async function list({ client, options, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const wanted = wholeNumber(options.text("limit"), "--limit") ?? 50;
  const query = given({
    knowledge_base_id: options.text("base"),
    doc_id: options.text("doc"),
    text: options.text("text"),
    tag: options.texts("tag")[0],
  });
  const pairs: Pair[] = [];
  let cursor: string | null | undefined;
  do {
    const limit = Math.min(100, wanted - pairs.length);
    const page = await client().pairs.list({
      agent_id,
      ...query,
      limit,
      ...given({ cursor: cursor ?? undefined }),
    });
    pairs.push(...page.list);
    cursor = page.next_cursor;
  } while (cursor !== null && pairs.length < wanted);
  output.result({ list: pairs }, () => {
    if (pairs.length === 0) return output.line("No pair fits.");
    output.table(
      ["question", "answer", "tags", "document", "version", "pair_id"],
      pairs.map(({ question, answer, tags, doc_name, version, pair_id }) => [
        question,
        answer,
        tags.join(", "),
        doc_name,
        String(version),
        pair_id,
      ]),
    );
    if (cursor !== null) output.note("There are more: raise --limit, or narrow with --text.");
  });
  return EXIT_CODES.ok.code;
}

async function add({ client, options, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const pair = await client().pairs.add({
    agent_id,
    ...given({ knowledge_base_id: options.text("base"), doc_id: options.text("doc") }),
    question: required(options.text("question"), "--question"),
    answer: required(options.text("answer"), "--answer"),
    alternates: options.texts("alternate"),
    tags: options.texts("tag"),
  });
  output.result(pair, () => output.line(`Added to ${pair.doc_name}: ${pair.pair_id}`));
  return EXIT_CODES.ok.code;
}

async function exportPairs(context: CommandContext, agent_id: string): Promise<ExitCode> {
  const { client, options } = context;
  const format = oneOf(options.text("format"), FORMATS, "--format") ?? "csv";
  if (format === "xlsx" && options.text("out") === undefined)
    throw new UsageError("An XLSX file needs --out FILE");
  const wanted = given({ knowledge_base_id: options.text("base"), doc_id: options.text("doc") });
  await writeExport(
    context,
    await client().pairs.export({ agent_id, format, ...wanted }, { timeoutMs: EXPORT_MS }),
  );
  return EXIT_CODES.ok.code;
}

async function edit({ client, options, output }: CommandContext, named: PairNamed): Promise<ExitCode> {
  const alternates = options.texts("alternate");
  const tags = options.texts("tag");
  const change = given({
    question: options.text("question"),
    answer: options.text("answer"),
    alternates: alternates.length === 0 ? undefined : alternates,
    tags: tags.length === 0 ? undefined : tags,
  });
  if (Object.keys(change).length === 0)
    throw new UsageError("Nothing to change. Give --question, --answer, --alternate or --tag");
  const pair = await client().pairs.update({ ...named, ...change });
  output.result(pair, () => output.line(`Saved as version ${pair.version}.`));
  return EXIT_CODES.ok.code;
}

async function tag(
  { client, options, output }: CommandContext,
  agent_id: string,
  pair_ids: string[],
): Promise<ExitCode> {
  const [add, remove] = [options.texts("add-tag"), options.texts("remove-tag")];
  if (add.length + remove.length === 0)
    throw new UsageError("Nothing to change. Give --add-tag or --remove-tag");
  const reply = await client().pairs.tag({ agent_id, pair_ids, add, remove });
  const { changed, missing } = reply;
  output.result(reply, () => {
    output.line(changed.length === 1 ? "Changed 1 pair." : `Changed ${changed.length} pairs.`);
    for (const pair of missing) output.line(`Not found: ${pair}`);
  });
  return exitCodeFor(missing.length === 0);
}

async function listTags({ client, options, output }: CommandContext, agent_id: string): Promise<ExitCode> {
  const wanted = given({ knowledge_base_id: options.text("base"), doc_id: options.text("doc") });
  const reply = await client().pairs.listTags({ agent_id, ...wanted });
  output.result(reply, () =>
    output.table(
      ["tag", "pairs"],
      reply.list.map((entry) => [entry.tag, String(entry.pairs)]),
    ),
  );
  return EXIT_CODES.ok.code;
}

async function remove({ client, output }: CommandContext, named: PairNamed): Promise<ExitCode> {
  const reply = await client().pairs.delete(named);
  output.result(reply, () =>
    output.line("Deleted. To bring it back: signalbox pairs history PAIR, then restore."),
  );
  return EXIT_CODES.ok.code;
}

async function history({ client, output }: CommandContext, named: PairNamed): Promise<ExitCode> {
  const versions: PairVersion[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await client().pairs.listHistory({
      ...named,
      limit: 100,
      ...given({ cursor: cursor ?? undefined }),
    });
    versions.push(...page.list);
    cursor = page.next_cursor;
  } while (cursor !== null);
  output.result({ list: versions }, () =>
    output.table(
      ["version", "at (UTC)", "change", "by", "question", "answer"],
      versions.map(({ version, time, change, author, question, answer }) => [
        String(version),
        timeText(time),
        change,
        author?.actor_name ?? "",
        question,
        answer,
      ]),
    ),
  );
  return EXIT_CODES.ok.code;
}

async function restore({ client, options, output }: CommandContext, named: PairNamed): Promise<ExitCode> {
  const version = wholeNumber(required(options.text("version"), "--version"), "--version") ?? 0;
  const pair = await client().pairs.restore({ ...named, version });
  output.result(pair, () => output.line(`Restored version ${version} as version ${pair.version}.`));
  return EXIT_CODES.ok.code;
}

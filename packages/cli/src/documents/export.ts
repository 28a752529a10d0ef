import { BYTE_ORDER_MARK, csvField, literalCell, type QaChunk } from "@signalbox/contract";
import { type Client, isFailure } from "@signalbox/sdk";
import { type CommandContext, UsageError } from "../command.ts";
import { EXIT_CODES, type ExitCode } from "../exit-codes.ts";
import { documentsOf } from "./list-documents.ts";

const PAGE_PAIRS = 100;
const BASES_PAGE = 1_000;
const BEGIN_ANEW_MAX = 5;

interface NamedDocument {
  doc_id: string;
  doc_name: string;
  knowledge_base_id: string;
  pairs: number;
}

interface ExportedDocument extends Omit<NamedDocument, "pairs"> {
  pairs: QaChunk[];
}

export async function exportPairs(
  { client, options, output }: CommandContext,
  ids: readonly string[],
): Promise<ExitCode> {
  const base = options.text("base");
  if (options.text("agent") !== undefined)
    throw new UsageError(
      "export takes the agent of the API key. With an operator token, use signalbox pairs export",
    );
  if (base !== undefined && ids.length > 0) throw new UsageError("Give document ids or --base, not both");
  const wanted = ids.length > 0 ? await namedDocuments(client(), ids) : await allDocuments(client(), base);
  const total = wanted.reduce((sum, { pairs }) => sum + pairs, 0);
  const bar = output.bar("reading");
  let before = 0;
  const documents: ExportedDocument[] = [];
  for (const document of wanted) {
    const pairs = await readDocument(client(), document.doc_id, (count) => bar.show(before + count, total));
    before += pairs.length;
    documents.push({ ...document, pairs });
  }
  bar.end();
  output.result({ documents }, () => {
    output.line(`${BYTE_ORDER_MARK}question,answer,similar questions,tags`);
    for (const { pairs } of documents) for (const pair of pairs) output.line(csvRow(pair));
    output.note(
      `Exported ${before} pairs from ${documents.length} ${documents.length === 1 ? "document" : "documents"}.`,
    );
  });
  return EXIT_CODES.ok.code;
}

async function namedDocuments(client: Client, ids: readonly string[]): Promise<NamedDocument[]> {
  const details = await client.knowledge.getDocuments({ data_ids: [...ids] });
  const byId = new Map(details.map((detail) => [detail.data_id, detail]));
  return ids.map((doc_id) => {
    const found = byId.get(doc_id.toLowerCase());
    if (found === undefined) throw new UsageError(`${doc_id} is not a document of this agent`);
    const { data_id, doc_name, knowledge_base_id, pairs } = found;
    return { doc_id: data_id, doc_name, knowledge_base_id, pairs };
  });
}

async function allDocuments(client: Client, base: string | undefined): Promise<NamedDocument[]> {
  const bases =
    base === undefined
      ? await Array.fromAsync(client.knowledge.listBases({ page_size: BASES_PAGE }), ({ id }) => id)
      : [base];
  const found: NamedDocument[] = [];
  for (const knowledge_base_id of bases)
    for (const { id: doc_id, name: doc_name, chunk: pairs } of await documentsOf(client, knowledge_base_id))
      found.push({ doc_id, doc_name, knowledge_base_id, pairs });
  return found;
}

/** One content whole: a document that is changed while it is read is read again. */
async function readDocument(
  client: Client,
  doc_id: string,
  onRead: (count: number) => void,
): Promise<QaChunk[]> {
  for (let times = 1; ; times += 1) {
    try {
      const pairs: QaChunk[] = [];
      for await (const { list } of client.knowledge.listPairs({ doc_id, limit: PAGE_PAIRS }).pages()) {
        pairs.push(...list);
        onRead(pairs.length);
      }
      return pairs;
    } catch (error) {
      if (times >= BEGIN_ANEW_MAX || !isFailure(error, "stateConflict")) throw error;
    }
  }
}

function csvRow({ question, answer, keywords, tags }: QaChunk): string {
  const cells = [question, answer, (keywords ?? []).join("\n")].map(literalCell);
  return [...cells, (tags ?? []).join(", ")].map(csvField).join(",");
}

import type { InputOf, QaChunkPage } from "@signalbox/contract";
import { refuse, type AgentCaller, type AgentDatabase, type Refusal } from "../../platform/index.ts";

/** Which revision is being read, and the last of its pairs that was. */
interface Place {
  revision: number;
  ordinal: number;
}

/** Pairs of one content, page by page: a reader never gets half of another. Those appended meanwhile come at the end. */
export function listQaChunks(
  { agents }: { agents: AgentDatabase },
  { agentId }: AgentCaller,
  { doc_id, limit, cursor }: InputOf<"listQaChunks">,
): Promise<QaChunkPage | Refusal> {
  return agents.asAgent(agentId, async (db) => {
    const document = await db
      .selectFrom("document")
      .select(["knowledge_base_id", "current_revision"])
      .where("agent_id", "=", agentId)
      .where("id", "=", doc_id)
      .where("deleted_at", "is", null)
      .executeTakeFirst();
    if (document === undefined) return refuse("badParameter", "doc_id is not a document of this agent");
    const { knowledge_base_id, current_revision: revision } = document;
    const place = cursor === undefined ? { revision, ordinal: 0 } : readCursor(cursor);
    if (place === undefined)
      return refuse("badParameter", "cursor must be the next_cursor of an earlier page of this list");
    if (place.revision !== revision)
      return refuse(
        "stateConflict",
        "the document was replaced while you were reading it; start again without a cursor",
      );
    const rows = await db
      .selectFrom("qa_pair")
      .select(["ordinal", "question", "answer", "alternates", "tags"])
      .where("knowledge_base_id", "=", knowledge_base_id)
      .where("document_id", "=", doc_id)
      .where("revision", "=", revision)
      .where("ordinal", ">", place.ordinal)
      .orderBy("ordinal")
      .limit(limit + 1)
      .execute();
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      list: page.map(({ question, answer, alternates, tags }) => ({
        question,
        answer,
        keywords: alternates,
        ...(tags.length > 0 && { tags }),
      })),
      next_cursor: rows.length > limit && last !== undefined ? `${revision}-${last.ordinal}` : null,
    };
  });
}

function readCursor(cursor: string): Place | undefined {
  const [, revision, ordinal] = /^(\d{1,9})-(\d{1,9})$/.exec(cursor) ?? [];
  return ordinal === undefined ? undefined : { revision: Number(revision), ordinal: Number(ordinal) };
}

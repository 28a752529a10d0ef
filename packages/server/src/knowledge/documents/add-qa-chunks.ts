import { ACKNOWLEDGED, type Acknowledged, type InputOf } from "@signalbox/contract";
import { audit, refuse, type AgentCaller, type Refusal } from "../../platform/index.ts";
import { appendPairs } from "./append-pairs.ts";
import { readContent } from "./content-change.ts";
import { lockDocuments } from "./document-store.ts";
import type { ImportParts } from "./import-ticket.ts";
import { publishText, storedPair } from "./publish-text.ts";
import { writeList } from "./write-list.ts";

export interface AddQaChunksParts extends Pick<ImportParts, "agents" | "writes" | "sealer"> {
  pairsMax: number;
}

/** Appends pairs, or replaces all by them. Either way a reader sees all that was there before, or all that is there after. */
export function addQaChunks(
  { pairsMax, ...parts }: AddQaChunksParts,
  caller: AgentCaller,
  { doc_id, chunks, replace }: InputOf<"addQaChunks">,
): Promise<Acknowledged | Refusal> {
  const { agentId } = caller;
  return writeList(parts, caller, async (db) => {
    const document = (await lockDocuments(db, agentId, [doc_id])).get(doc_id);
    if (document === undefined) return refuse("badParameter", "doc_id is not a document of this agent");
    const { knowledgeBaseId, currentRevision } = document;
    const isAppend = replace !== true && currentRevision > 0;
    const before = isAppend ? await readContent(db, agentId, document) : { pairs: 0, characters: 0 };
    if (before.pairs + chunks.length > pairsMax)
      return refuse("badParameter", `a document holds at most ${pairsMax} pairs`);
    const made = { change: "append", by: caller } as const;
    if (isAppend) await appendPairs(db, agentId, document, before, chunks.map(storedPair), made);
    else await publishText(db, { agentId, knowledgeBaseId, documentId: doc_id }, chunks, caller);
    const detail = { pairs: chunks.length, replaced: replace === true };
    await audit(db, caller, { action: "document.append", agentId, subjectId: doc_id, detail });
    return ACKNOWLEDGED;
  });
}

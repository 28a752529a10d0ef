import type { AgentModel, InputOf } from "@signalbox/contract";
import { sql } from "kysely";
import { setModel, type OperatorParts } from "../../agents/index.ts";
import { objectKey, type Engine } from "../../engine/index.ts";
import { ENCODER_MODEL } from "../encoder/encoder.ts";
import { unlessRefused, type Database, type OperatorCaller, type Refusal } from "../../platform/index.ts";

/** Vectors of another model say nothing to this one. */
export function setEmbeddingModel(
  parts: OperatorParts & { engine: Engine },
  caller: OperatorCaller,
  input: InputOf<"setEmbeddingModel">,
): Promise<AgentModel | Refusal> {
  const change = setModel(parts, caller, "embedding", input);
  return unlessRefused(change, () => reembedPairs(parts, input.agent_id));
}

/**
 * Vectors of a model that the agent no longer uses count for nothing and are made anew; meanwhile words find the pairs.
 * Called when an agent's model was changed, and for all agents by a sweep, should that call have been lost.
 */
export async function reembedPairs(
  { db, engine }: { db: Database; engine: Engine },
  agentId?: string,
): Promise<number> {
  const whose = agentId === undefined ? sql`` : sql`and m.agent_id = ${agentId}`;
  const { rows } = await sql<{ agent_id: string; id: string }>`
    update document_revision r set embedded_with = null, vectors = null
    from agent_model m
    where m.kind = 'embedding' ${whose} and r.agent_id = m.agent_id and r.state = 'current'
      and r.embedded_with is not null and r.embedded_with <> m.model
    returning r.agent_id, r.id`.execute(db);
  if (agentId === undefined) rows.push(...(await forgetUnusedModels(db)));
  await Promise.all(rows.map(({ agent_id, id }) => engine.send("ingest", "embed", objectKey(agent_id, id))));
  return rows.length;
}

/** Drops the vectors of agents without a model of their own any more, and of another version of the built-in encoder. */
async function forgetUnusedModels(db: Database): Promise<{ agent_id: string; id: string }[]> {
  const { rows } = await sql<{ agent_id: string; id: string }>`
    update document_revision r set embedded_with = null, vectors = null
    where r.state = 'current' and r.embedded_with is not null and r.embedded_with <> ${ENCODER_MODEL}
      and not exists (select from agent_model m where m.agent_id = r.agent_id and m.kind = 'embedding')
    returning r.agent_id, r.id`.execute(db);
  return rows;
}

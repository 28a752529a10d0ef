import type {
  CreateKnowledgeBaseReply,
  InputOf,
  KnowledgeBaseList,
  KnowledgeBasePage,
} from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";
import { pageOfRows, pageStart, requireAgent } from "../../agents/index.ts";
import {
  audit,
  newId,
  once,
  Refusal,
  type AgentCaller,
  type AgentDatabase,
  type Database,
  type Sealer,
} from "../../platform/index.ts";
import { latestRevisionOf } from "./document-store.ts";

export function createKnowledgeBase(
  { agents, sealer }: { agents: AgentDatabase; sealer: Sealer },
  caller: AgentCaller,
  { name, desc }: InputOf<"createKnowledgeBase">,
): Promise<CreateKnowledgeBaseReply | Refusal> {
  return agents.asAgent(caller.agentId, (db) =>
    once(db, sealer, caller, async (db) => {
      const id = newId();
      await db
        .insertInto("knowledge_base")
        .values({ id, agent_id: caller.agentId, name, description: desc ?? "" })
        .execute();
      const { agentId } = caller;
      await audit(db, caller, { action: "knowledge_base.create", agentId, subjectId: id, detail: { name } });
      return { knowledge_base_id: id };
    }),
  );
}

/** It comes with the agent. */
export async function addDefaultBase(db: Database, agentId: string): Promise<void> {
  await db
    .insertInto("knowledge_base")
    .values({ id: newId(), agent_id: agentId, name: "Default", is_default: true })
    .execute();
}

/** A word and its blank are about four characters a token in English, and about one in Chinese: this is an estimate. */
const CHARACTERS_PER_TOKEN = 4;

export function estimatedTokens(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

interface BaseRow {
  id: string;
  name: string;
  description: string;
  is_default: boolean;
  documents: number;
  pairs: number;
  characters: number;
  total: number;
}

/** Of `knowledge_base b`, with what readers see of its documents. */
function basesWithContent(): RawBuilder<unknown> {
  return sql`
    select b.id, b.name, b.description, b.is_default, count(*) over () as total,
      (select count(*) from document d where d.agent_id = b.agent_id and d.knowledge_base_id = b.id and d.deleted_at is null) as documents,
      coalesce(r.pairs, 0) as pairs, coalesce(r.characters, 0)::float8 as characters
    from knowledge_base b left join lateral (
      select sum(pairs) as pairs, sum(characters) as characters from document d
        join document_revision r on r.agent_id = d.agent_id and r.document_id = d.id and r.revision = ${latestRevisionOf("d")}
      where d.agent_id = b.agent_id and d.knowledge_base_id = b.id and d.deleted_at is null
    ) r on true`;
}

/** For operators, who see every agent's. */
export async function listAgentKnowledgeBases(
  { db }: { db: Database },
  { agent_id, cursor, limit }: InputOf<"listAgentKnowledgeBases">,
): Promise<KnowledgeBaseList | Refusal> {
  const start = pageStart(cursor);
  if (start instanceof Refusal) return start;
  const missing = await requireAgent(db, agent_id);
  if (missing !== undefined) return missing;
  const { rows } = await sql<BaseRow>`
    ${basesWithContent()} where b.agent_id = ${agent_id} and b.id < ${start}
    order by b.id desc limit ${limit + 1}`.execute(db);
  return pageOfRows(rows, limit, ({ id, name, description, is_default, documents, pairs }) => ({
    knowledge_base_id: id,
    name,
    description,
    is_default,
    documents,
    pairs,
  }));
}

export function listKnowledgeBases(
  { agents }: { agents: AgentDatabase },
  { agentId }: AgentCaller,
  { page, page_size }: InputOf<"listKnowledgeBases">,
): Promise<KnowledgeBasePage> {
  return agents.asAgent(agentId, async (db) => {
    const { rows } = await sql<BaseRow>`
      ${basesWithContent()} where b.agent_id = ${agentId}
      order by b.id limit ${page_size} offset ${(page - 1) * page_size}`.execute(db);
    return {
      knowledge_base: rows.map((row) => ({
        id: row.id,
        name: row.name,
        desc: row.description,
        doc: row.documents,
        chunk: row.pairs,
        token: estimatedTokens(row.characters),
        owner_id: null,
        owner_email: null,
        is_default: row.is_default,
      })),
      total: rows[0]?.total ?? 0,
    };
  });
}

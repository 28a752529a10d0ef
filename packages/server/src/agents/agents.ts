import {
  ACKNOWLEDGED,
  type Acknowledged,
  type Agent,
  type AgentPage,
  type InputOf,
  type SmallTalkSettings,
} from "@signalbox/contract";
import { sql, type Updateable } from "kysely";
import {
  audit,
  newId,
  OPERATOR_SCOPE,
  Refusal,
  refuse,
  unlessRefused,
  type Database,
  type OperatorCaller,
  type Tables,
} from "../platform/index.ts";
import { writeAsOperator, type OperatorParts } from "./operator-write.ts";
import { pageOfRows, pageStart } from "./paging.ts";

/** Its first document needs a knowledge base to lie in. */
export type AddDefaultBase = (db: Database, agentId: string) => Promise<void>;

export function createAgent(
  { addDefaultBase, ...parts }: OperatorParts & { addDefaultBase: AddDefaultBase },
  caller: OperatorCaller,
  {
    name,
    language,
    fallback_text,
    direct_score,
    answer_score,
    small_talk,
    synonyms,
    hold_failing_imports,
  }: InputOf<"createAgent">,
): Promise<Agent | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const id = newId();
    await db
      .insertInto("agent")
      .values({
        id,
        name,
        language,
        fallback_text: fallback_text ?? null,
        direct_score: direct_score ?? null,
        answer_score: answer_score ?? null,
        small_talk: asJson(small_talk ?? null),
        synonyms: asJson(synonyms ?? null),
        hold_failing_imports: hold_failing_imports ?? false,
      })
      .execute();
    await addDefaultBase(db, id);
    await audit(db, caller, {
      action: "agent.create",
      agentId: id,
      subjectId: id,
      detail: { name, language },
    });
    return describe(await oneAgent(db, id));
  });
}

export async function getAgent(
  { db }: OperatorParts,
  { agent_id }: InputOf<"getAgent">,
): Promise<Agent | Refusal> {
  const row = await oneAgent(db, agent_id);
  return row === undefined ? noAgent() : describe(row);
}

export async function listAgents(
  { db }: OperatorParts,
  { agentIds }: Pick<OperatorCaller, "agentIds">,
  { cursor, limit }: InputOf<"listAgents">,
): Promise<AgentPage | Refusal> {
  const start = pageStart(cursor);
  if (start instanceof Refusal) return start;
  const rows = await agentRows(db)
    .where("agent.id", "<", start)
    .$if(agentIds !== undefined, (query) => query.where(sql<boolean>`agent.id = any(${agentIds}::uuid[])`))
    .orderBy("agent.id", "desc")
    .limit(limit + 1)
    .execute();
  return pageOfRows(rows, limit, describe);
}

export function updateAgent(
  parts: OperatorParts,
  caller: OperatorCaller,
  {
    agent_id,
    name,
    language,
    fallback_text,
    direct_score,
    answer_score,
    small_talk,
    synonyms,
    hold_failing_imports,
  }: InputOf<"updateAgent">,
): Promise<Agent | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    const changes = {
      ...(name === undefined ? {} : { name }),
      ...(language === undefined ? {} : { language }),
      ...(fallback_text === undefined ? {} : { fallback_text }),
      ...(direct_score === undefined ? {} : { direct_score }),
      ...(answer_score === undefined ? {} : { answer_score }),
      ...(small_talk === undefined ? {} : { small_talk: asJson(small_talk) }),
      ...(synonyms === undefined ? {} : { synonyms: asJson(synonyms) }),
      ...(hold_failing_imports === undefined ? {} : { hold_failing_imports }),
    };
    await storeSettings(db, agent_id, changes);
    await audit(db, caller, {
      action: "agent.update",
      agentId: agent_id,
      subjectId: agent_id,
      detail: { changed: Object.keys(changes) },
    });
    return describe(await oneAgent(db, agent_id));
  });
}

/** The row stays: its keys must go on answering 40378, and its history stays readable. Deleting twice is no mistake. */
export function deleteAgent(
  parts: OperatorParts & { onDeleted(agentId: string): Promise<void> },
  caller: OperatorCaller,
  { agent_id }: InputOf<"deleteAgent">,
): Promise<Acknowledged | Refusal> {
  const change = writeAsOperator(parts, caller, async (db) => {
    const deleted = await db
      .updateTable("agent")
      .set({ deleted_at: sql`now()` })
      .where("id", "=", agent_id)
      .where("id", "<>", OPERATOR_SCOPE)
      .where("deleted_at", "is", null)
      .returning("id")
      .executeTakeFirst();
    if (deleted === undefined) return (await oneAgent(db, agent_id)) === undefined ? noAgent() : ACKNOWLEDGED;
    await audit(db, caller, { action: "agent.delete", agentId: agent_id, subjectId: agent_id, detail: {} });
    return ACKNOWLEDGED;
  });
  return unlessRefused(change, () => parts.onDeleted(agent_id));
}

/**
 * What belongs to a deleted agent can be read, and no longer changed. The row stays locked, so that changes of one agent
 * come one after another: two that both found no webhook would otherwise both make one.
 */
export async function requireLiveAgent(db: Database, agentId: string): Promise<Refusal | undefined> {
  const row = agentId === OPERATOR_SCOPE ? undefined : await lockAgent(db, agentId);
  if (row === undefined) return noAgent();
  return row.deleted_at === null ? undefined : refuse("agentDeleted");
}

/** For what may be read, or erased, of an agent that is deleted too. */
export async function requireAgent(db: Database, agentId: string): Promise<Refusal | undefined> {
  return (await oneAgent(db, agentId)) === undefined ? noAgent() : undefined;
}

/** The operators' own settings, too, change one after another. */
export async function lockOperators(db: Database): Promise<void> {
  await lockAgent(db, OPERATOR_SCOPE);
}

function lockAgent(db: Database, agentId: string) {
  return db
    .selectFrom("agent")
    .select("deleted_at")
    .where("id", "=", agentId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export interface AgentSettings {
  name: string;
  language: "en" | "zh-CN";
  fallbackText: string | undefined;
  /** Scores the operator chose; undefined: the service's own. */
  directScore: number | undefined;
  answerScore: number | undefined;
  /** What the operator set; undefined: the service's own words. */
  smallTalk: SmallTalkSettings | undefined;
  /** Groups of words that mean the same to this agent, beside the service's own. */
  synonyms: string[][];
}

export async function readAgentSettings(
  db: Database,
  agentIds: string[],
): Promise<Map<string, AgentSettings>> {
  const rows = await db
    .selectFrom("agent")
    .select([
      "id",
      "name",
      "language",
      "fallback_text",
      "direct_score",
      "answer_score",
      "small_talk",
      "synonyms",
    ])
    .where("id", "=", sql<string>`any(${agentIds}::uuid[])`)
    .where("deleted_at", "is", null)
    .execute();
  return new Map(
    rows.map((row) => [
      row.id,
      {
        name: row.name,
        language: row.language as AgentSettings["language"],
        fallbackText: row.fallback_text ?? undefined,
        directScore: row.direct_score ?? undefined,
        answerScore: row.answer_score ?? undefined,
        // Safe because nothing but what the contract admits is written there.
        smallTalk: (row.small_talk as SmallTalkSettings | null) ?? undefined,
        synonyms: (row.synonyms as string[][] | null) ?? [],
      },
    ]),
  );
}

/** Whether an import that makes a saved question fail waits for an editor. */
export async function holdsFailingImports(db: Database, agentId: string): Promise<boolean> {
  const row = await db
    .selectFrom("agent")
    .select("hold_failing_imports")
    .where("id", "=", agentId)
    .executeTakeFirst();
  return row?.hold_failing_imports ?? false;
}

/** The driver would write a list as an array of PostgreSQL. */
function asJson(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

function noAgent(): Refusal {
  return refuse("notFound", "no agent has this agent_id");
}

/** Settings that other rooms make lie in the agent's row, too. */
export async function storeSettings(
  db: Database,
  agentId: string,
  changes: Omit<Updateable<Tables["agent"]>, "id" | "created_at" | "updated_at" | "deleted_at">,
): Promise<void> {
  await db
    .updateTable("agent")
    .set({ ...changes, updated_at: sql`now()` })
    .where("id", "=", agentId)
    .execute();
}

function agentRows(db: Database) {
  return db
    .selectFrom("agent")
    .innerJoin("knowledge_base", (join) =>
      join.onRef("knowledge_base.agent_id", "=", "agent.id").on("knowledge_base.is_default", "=", true),
    )
    .selectAll("agent")
    .select("knowledge_base.id as default_knowledge_base_id");
}

function oneAgent(db: Database, id: string) {
  return agentRows(db).where("agent.id", "=", id).executeTakeFirst();
}

type AgentRow = NonNullable<Awaited<ReturnType<typeof oneAgent>>>;

function describe(row: AgentRow | undefined): Agent {
  if (row === undefined) throw new Error("an agent that was just written is gone");
  return {
    agent_id: row.id,
    name: row.name,
    language: row.language as Agent["language"],
    fallback_text: row.fallback_text,
    direct_score: row.direct_score,
    answer_score: row.answer_score,
    small_talk: row.small_talk as Agent["small_talk"],
    synonyms: row.synonyms as Agent["synonyms"],
    hold_failing_imports: row.hold_failing_imports,
    default_knowledge_base_id: row.default_knowledge_base_id,
    create_time: row.created_at.getTime(),
    delete_time: row.deleted_at?.getTime() ?? null,
  };
}

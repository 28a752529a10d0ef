import {
  ACKNOWLEDGED,
  type Acknowledged,
  type AgentModel,
  type SetModelRequest,
  type SetSpeechModelRequest,
  type SpeechModel,
} from "@signalbox/contract";
import { sql } from "kysely";
import {
  audit,
  inTransaction,
  Refusal,
  refuse,
  type Database,
  type OperatorCaller,
  type Sealer,
  type StoredSeal,
} from "../platform/index.ts";
import { requireLiveAgent } from "./agents.ts";
import { writeAsOperator, type OperatorParts } from "./operator-write.ts";

/** Chat answers questions and converts documents; embedding makes vectors of texts; speech says them aloud. */
export type ModelKind = "chat" | "embedding" | "speech";

/** What only a model that speaks has. */
export interface Voice {
  voice: string;
  format: SetSpeechModelRequest["format"];
}

const TIMEOUT_MS_DEFAULT = 20_000;

function sealingContext(agentId: string, kind: ModelKind): string {
  return `agent_model|${agentId}|${kind}|key_sealed`;
}

/** A key left out stays as it is, but only with its address: it is never sent to another server than it was given for. */
export function setModel(
  parts: OperatorParts,
  caller: OperatorCaller,
  kind: ModelKind,
  { agent_id, ...given }: SetModelRequest & Partial<Voice> & { agent_id: string },
): Promise<AgentModel | Refusal> {
  const { sealer } = parts;
  return writeAsOperator(parts, caller, async (db) => {
    const refusal = await requireLiveAgent(db, agent_id);
    if (refusal !== undefined) return refusal;
    const stored = await oneModel(db, agent_id, kind);
    if (given.api_key === undefined && stored?.key_sealed && !isSameServer(stored.url, given.url))
      return refuse("badParameter", "changing url requires api_key again; send the key, or null for none");
    const sealed = () => {
      if (given.api_key === undefined) return stored?.key_sealed ?? null;
      return given.api_key === null ? null : sealer.seal(given.api_key, sealingContext(agent_id, kind));
    };
    const row = {
      url: given.url,
      model: given.model,
      key_sealed: sealed(),
      timeout_ms:
        given.timeout_seconds === undefined
          ? (stored?.timeout_ms ?? TIMEOUT_MS_DEFAULT)
          : Math.round(given.timeout_seconds * 1000),
      input_credits_per_million: given.input_credits_per_million ?? stored?.input_credits_per_million ?? 0,
      output_credits_per_million: given.output_credits_per_million ?? stored?.output_credits_per_million ?? 0,
      voice: given.voice ?? null,
      format: given.format ?? null,
    };
    await db
      .insertInto("agent_model")
      .values({ agent_id, kind, ...row })
      .onConflict((conflict) =>
        conflict.columns(["agent_id", "kind"]).doUpdateSet({ ...row, updated_at: sql`now()` }),
      )
      .execute();
    await audit(db, caller, {
      action: `${kind}_model.set`,
      agentId: agent_id,
      subjectId: agent_id,
      detail: { url: given.url, model: given.model, api_key_changed: given.api_key !== undefined },
    });
    return describe(await oneModel(db, agent_id, kind));
  });
}

export async function setSpeechModel(
  parts: OperatorParts,
  caller: OperatorCaller,
  given: SetSpeechModelRequest & { agent_id: string },
): Promise<SpeechModel | Refusal> {
  const { voice, format } = given;
  const set = await setModel(parts, caller, "speech", given);
  return set instanceof Refusal ? set : asSpeech(set, { voice, format });
}

export async function getSpeechModel(
  { db }: OperatorParts,
  { agent_id }: { agent_id: string },
): Promise<SpeechModel | Refusal> {
  const row = await oneModel(db, agent_id, "speech");
  return row === undefined
    ? refuse("notFound", "this agent has no speech model")
    : asSpeech(describe(row), voiceOf(row));
}

function asSpeech(model: AgentModel, voice: Voice): SpeechModel {
  const { url, model: name, api_key_set, timeout_seconds, output_credits_per_million, update_time } = model;
  return {
    url,
    model: name,
    api_key_set,
    timeout_seconds,
    output_credits_per_million,
    update_time,
    ...voice,
  };
}

export async function getModel(
  { db }: OperatorParts,
  kind: ModelKind,
  { agent_id }: { agent_id: string },
): Promise<AgentModel | Refusal> {
  const row = await oneModel(db, agent_id, kind);
  return row === undefined ? refuse("notFound", `this agent has no ${kind} model`) : describe(row);
}

export function deleteModel(
  parts: OperatorParts,
  caller: OperatorCaller,
  kind: ModelKind,
  { agent_id }: { agent_id: string },
): Promise<Acknowledged | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const refusal = await requireLiveAgent(db, agent_id);
    if (refusal !== undefined) return refusal;
    const deleted = await db
      .deleteFrom("agent_model")
      .where("agent_id", "=", agent_id)
      .where("kind", "=", kind)
      .returning("agent_id")
      .executeTakeFirst();
    if (deleted !== undefined)
      await audit(db, caller, {
        action: `${kind}_model.delete`,
        agentId: agent_id,
        subjectId: agent_id,
        detail: {},
      });
    return ACKNOWLEDGED;
  });
}

export interface ConfiguredModel {
  url: string;
  key: string | undefined;
  model: string;
  timeoutMs: number;
  inputCreditsPerMillion: number;
  outputCreditsPerMillion: number;
}

/** What speaks for an agent, with keys opened, for whoever is about to call it. */
export type ConfiguredModels = { [Kind in Exclude<ModelKind, "speech">]?: ConfiguredModel } & {
  speech?: ConfiguredModel & Voice;
};

export async function readModels(db: Database, sealer: Sealer, agentId: string): Promise<ConfiguredModels> {
  return openModels(sealer, agentId, await readModelRows(db, [agentId]));
}

type ModelRow = NonNullable<Awaited<ReturnType<typeof oneModel>>>;

/** Of many agents, with their keys sealed. */
export function readModelRows(db: Database, agentIds: string[]): Promise<ModelRow[]> {
  return db
    .selectFrom("agent_model")
    .selectAll()
    .where("agent_id", "=", sql<string>`any(${agentIds}::uuid[])`)
    .execute();
}

/** Those of one agent among them. */
export function openModels(sealer: Sealer, agentId: string, rows: ModelRow[]): ConfiguredModels {
  const models: ConfiguredModels = {};
  for (const row of rows.filter(({ agent_id }) => agent_id === agentId)) {
    const kind = row.kind as ModelKind;
    const model = {
      url: row.url,
      key: row.key_sealed === null ? undefined : sealer.open(row.key_sealed, sealingContext(agentId, kind)),
      model: row.model,
      timeoutMs: row.timeout_ms,
      inputCreditsPerMillion: row.input_credits_per_million,
      outputCreditsPerMillion: row.output_credits_per_million,
    };
    if (kind === "speech") models.speech = { ...model, ...voiceOf(row) };
    else models[kind] = model;
  }
  return models;
}

/** One stored key for each sealing key. */
export async function sampleModelSeals(db: Database): Promise<StoredSeal[]> {
  const { rows } = await sql<{ agent_id: string; kind: ModelKind; key_sealed: Buffer }>`
    select distinct on (substring(key_sealed for 2 + get_byte(key_sealed, 1))) agent_id, kind, key_sealed
    from agent_model where key_sealed is not null`.execute(db);
  return rows.map(({ agent_id, kind, key_sealed }) => ({
    place: "agent_model.key_sealed",
    sealed: key_sealed,
    context: sealingContext(agent_id, kind),
  }));
}

/** Seals every key with the newest sealing key; safe to repeat and under load. */
export async function resealModels(db: Database, sealer: Sealer): Promise<number> {
  return inTransaction(db, async (db) => {
    const rows = await db
      .selectFrom("agent_model")
      .select(["agent_id", "kind", "key_sealed"])
      .where("key_sealed", "is not", null)
      .forUpdate()
      .execute();
    let resealed = 0;
    for (const { agent_id, kind, key_sealed } of rows) {
      if (key_sealed === null || sealer.isSealedByNewestKey(key_sealed)) continue;
      const context = sealingContext(agent_id, kind as ModelKind);
      await db
        .updateTable("agent_model")
        .set({ key_sealed: sealer.seal(sealer.open(key_sealed, context), context) })
        .where("agent_id", "=", agent_id)
        .where("kind", "=", kind)
        .execute();
      resealed += 1;
    }
    return resealed;
  });
}

function voiceOf({ voice, format }: { voice: string | null; format: string | null }): Voice {
  if (voice === null || format === null) throw new Error("a model that speaks has no voice");
  return { voice, format: format as Voice["format"] };
}

function isSameServer(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}

function oneModel(db: Database, agentId: string, kind: ModelKind) {
  return db
    .selectFrom("agent_model")
    .selectAll()
    .where("agent_id", "=", agentId)
    .where("kind", "=", kind)
    .executeTakeFirst();
}

function describe(row: Awaited<ReturnType<typeof oneModel>>): AgentModel {
  if (row === undefined) throw new Error("a model that was just written is gone");
  return {
    url: row.url,
    model: row.model,
    api_key_set: row.key_sealed !== null,
    timeout_seconds: row.timeout_ms / 1000,
    input_credits_per_million: row.input_credits_per_million,
    output_credits_per_million: row.output_credits_per_million,
    update_time: row.updated_at.getTime(),
  };
}

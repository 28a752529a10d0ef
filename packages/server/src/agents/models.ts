import {
  ACKNOWLEDGED,
  MODEL_KINDS,
  type Acknowledged,
  type AgentModel,
  type ModelKind,
  type SetModelRequest,
  type SetSpeechModelRequest,
  type SpeechModel,
  type TestSpeechModelRequest,
} from "@signalbox/contract";
import { sql } from "kysely";
import {
  audit,
  inTransaction,
  Refusal,
  refuse,
  refuseNewOrigin,
  type Database,
  type OperatorCaller,
  type Sealer,
  type SecretsAtUrl,
  type StoredSeal,
} from "../platform/index.ts";
import { requireLiveAgent } from "./agents.ts";
import { describeFailure, NOT_FAILED } from "./model-failures.ts";
import { writeAsOperator, type OperatorParts } from "./operator-write.ts";

/** What only a model that speaks has. */
export interface Voice {
  voice: string;
  format: SetSpeechModelRequest["format"];
}

const TIMEOUT_MS_DEFAULT = 20_000;

function sealingContext(agentId: string, kind: ModelKind): string {
  return `agent_model|${agentId}|${kind}|key_sealed`;
}

/** A key left out stays as it is. */
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
    const moved = refuseNewOrigin(secretsOf(stored), { url: given.url, api_key: given.api_key });
    if (moved !== undefined) return moved;
    const sealed = () => {
      if (given.api_key === undefined) return stored?.key_sealed ?? null;
      return given.api_key === null ? null : sealer.seal(given.api_key, sealingContext(agent_id, kind));
    };
    const row = {
      url: given.url,
      model: given.model,
      key_sealed: sealed(),
      timeout_ms: timeoutMsOf(given, stored),
      input_credits_per_million: given.input_credits_per_million ?? stored?.input_credits_per_million ?? 0,
      output_credits_per_million: given.output_credits_per_million ?? stored?.output_credits_per_million ?? 0,
      voice: given.voice ?? null,
      format: given.format ?? null,
      ...NOT_FAILED,
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
  return row === undefined ? refuseMissing("speech") : asSpeech(describe(row), voiceOf(row));
}

function asSpeech(model: AgentModel, voice: Voice): SpeechModel {
  const { input_credits_per_million: _, ...spoken } = model;
  return { ...spoken, ...voice };
}

/** The stored model with what is given in place of it, and its key opened, for one call. Nothing is stored. */
export async function proposeModel(
  { db, sealer }: OperatorParts,
  kind: ModelKind,
  { agent_id, ...given }: TestSpeechModelRequest & { agent_id: string },
): Promise<(ConfiguredModel & Partial<Voice>) | Refusal> {
  const missing = await requireLiveAgent(db, agent_id);
  if (missing !== undefined) return missing;
  const stored = await oneModel(db, agent_id, kind);
  const { url = stored?.url, model = stored?.model, voice = stored?.voice ?? undefined } = given;
  if (url === undefined || model === undefined || (kind === "speech" && voice === undefined))
    return refuseMissing(kind);
  const moved = refuseNewOrigin(secretsOf(stored), { url, api_key: given.api_key });
  if (moved !== undefined) return moved;
  const { api_key = openKey(sealer, stored) } = given;
  const format = given.format ?? ((stored?.format ?? "mp3") as Voice["format"]);
  return {
    kind,
    url,
    key: api_key ?? undefined,
    model,
    timeoutMs: timeoutMsOf(given, stored),
    inputCreditsPerMillion: 0,
    outputCreditsPerMillion: 0,
    isFailing: stored !== undefined && stored.failed_at !== null,
    ...(voice !== undefined && { voice, format }),
  };
}

export async function getModel(
  { db }: OperatorParts,
  kind: ModelKind,
  { agent_id }: { agent_id: string },
): Promise<AgentModel | Refusal> {
  const row = await oneModel(db, agent_id, kind);
  return row === undefined ? refuseMissing(kind) : describe(row);
}

function refuseMissing(kind: ModelKind): Refusal {
  return refuse("notFound", `this agent has no ${MODEL_KINDS[kind].toLowerCase()}`);
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
  kind: ModelKind;
  url: string;
  key: string | undefined;
  model: string;
  timeoutMs: number;
  inputCreditsPerMillion: number;
  outputCreditsPerMillion: number;
  /** Its last call failed. */
  isFailing: boolean;
}

/** An agent's models, with their keys opened, for a caller about to use them. */
export type ConfiguredModels = { [Kind in Exclude<ModelKind, "speech">]?: ConfiguredModel } & {
  speech?: ConfiguredModel & Voice;
};

export async function readModels(db: Database, sealer: Sealer, agentId: string): Promise<ConfiguredModels> {
  return openModels(sealer, agentId, await readModelRows(db, [agentId]));
}

type ModelRow = NonNullable<Awaited<ReturnType<typeof oneModel>>>;

/** The models of many agents, with their keys sealed. */
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
      kind,
      url: row.url,
      key: openKey(sealer, row),
      model: row.model,
      timeoutMs: row.timeout_ms,
      inputCreditsPerMillion: row.input_credits_per_million,
      outputCreditsPerMillion: row.output_credits_per_million,
      isFailing: row.failed_at !== null,
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

function secretsOf(stored: ModelRow | undefined): SecretsAtUrl | undefined {
  return stored && { url: stored.url, secrets: { api_key: stored.key_sealed } };
}

function timeoutMsOf(given: { timeout_seconds?: number | undefined }, stored: ModelRow | undefined): number {
  return given.timeout_seconds === undefined
    ? (stored?.timeout_ms ?? TIMEOUT_MS_DEFAULT)
    : Math.round(given.timeout_seconds * 1000);
}

function openKey(sealer: Sealer, row: ModelRow | undefined): string | undefined {
  if (row === undefined || row.key_sealed === null) return undefined;
  return sealer.open(row.key_sealed, sealingContext(row.agent_id, row.kind as ModelKind));
}

function voiceOf({ voice, format }: { voice: string | null; format: string | null }): Voice {
  if (voice === null || format === null) throw new Error("a model that speaks has no voice");
  return { voice, format: format as Voice["format"] };
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
    failure: describeFailure(row),
  };
}

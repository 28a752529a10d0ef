import { sql } from "kysely";
import { LruMap, type Database, type EmbeddingModel, type ModelFailure } from "../../platform/index.ts";
import type { QueryVector } from "./candidates.ts";
import type { VersionedBase } from "./statistics-cache.ts";

/** False where PostgreSQL has no pgvector: then there are no vectors to search. */
export async function hasVectorTable(db: Database): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select to_regclass('qa_embedding') is not null as known`.execute(db);
  return rows[0]?.known ?? false;
}

export async function embedAsked(
  model: EmbeddingModel,
  asked: string,
): Promise<{ kind: "embedded"; vector: QueryVector; tokens: number } | ModelFailure> {
  const embedded = await model.embed([[...asked].slice(0, ASKED_CHARACTERS).join("")]);
  if (embedded.kind === "failed") return embedded;
  const [numbers = []] = embedded.vectors;
  return { kind: "embedded", vector: { model: model.model, numbers }, tokens: embedded.tokens };
}

const ASKED_CHARACTERS = 2_000;

/** How near unrelated questions of a base are to each other: models differ, and one that cannot read a script says 1. */
export interface CosineFloors {
  /** Undefined when this base cannot be searched by these vectors. */
  of(db: Database, base: VersionedBase, vector: QueryVector): Promise<number | undefined>;
}

const SAMPLE = 40;
const FLOORS_MAX = 20_000;
/** A model whose vectors hardly differ does not know the language it was given. */
const FLOOR_MAX = 0.98;
/** Half of all unrelated questions are farther apart than this. */
const QUANTILE = 0.5;

export function createCosineFloors(): CosineFloors {
  const floors = new LruMap<string, { version: number; floor: number | undefined }>(FLOORS_MAX);
  return {
    async of(db, base, vector) {
      const key = `${base.id} ${vector.model} ${vector.numbers.length}`;
      const known = floors.get(key);
      if (known !== undefined && known.version === base.version && known.floor !== undefined)
        return known.floor;
      const floor = floorOf(await sampleCosines(db, base, vector));
      floors.set(key, { version: base.version, floor });
      return floor;
    },
  };
}

function floorOf(cosines: number[]): number | undefined {
  if (cosines.length === 0) return 0;
  const sorted = cosines.toSorted((one, other) => one - other);
  const floor = sorted[Math.floor(sorted.length * QUANTILE)] ?? 0;
  return floor > FLOOR_MAX ? undefined : Math.max(0, floor);
}

async function sampleCosines(
  db: Database,
  { agentId, id }: VersionedBase,
  { model, numbers }: QueryVector,
): Promise<number[]> {
  const { rows } = await sql<{ cosine: number }>`
    with sampled as materialized (
      select e.document_id, e.ordinal, e.vector, p.question
      from qa_embedding e join qa_pair p on p.knowledge_base_id = e.knowledge_base_id and p.document_id = e.document_id
        and p.revision = e.revision and p.ordinal = e.ordinal
      where e.agent_id = ${agentId} and e.knowledge_base_id = ${id} and e.model = ${model} and e.form = 0
        and vector_dims(e.vector) = ${numbers.length}
      limit ${SAMPLE})
    select 1 - (a.vector <=> b.vector) as cosine
    from sampled a join sampled b on (a.document_id, a.ordinal) < (b.document_id, b.ordinal)
      -- One question may stand in many pairs, and is not unrelated to itself.
      and a.question <> b.question`.execute(db);
  return rows.map(({ cosine }) => cosine);
}

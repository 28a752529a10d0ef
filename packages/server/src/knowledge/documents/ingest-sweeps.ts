import { sql } from "kysely";
import { objectKey, type Engine, type Sweep } from "../../engine/index.ts";
import type { Database } from "../../platform/index.ts";
import { hasVectorTable } from "../retrieval/dense.ts";
import { ENCODED_PAIRS_MAX } from "./embed-pairs.ts";
import { reembedPairs } from "./reembed-pairs.ts";
import { sweepUploads } from "../uploads/upload-store.ts";

const BATCH_MAX = 200;
const SWEPT_AT_ONCE = 20;
const DELETED_KEPT_DAYS = 30;
const CONTENTS_KEPT_DAYS = 90;
const HOUR_MS = 3_600_000;

export interface IngestSweepParts {
  db: Database;
  engine: Engine;
  graceMs: number;
  /** The built-in encoder makes vectors for agents without a model of their own. */
  hasEncoder?: boolean;
}

type Row = { agent_id: string; id: string };

/** Imports that made no sound, vectors that are missing, and content that no document points at any more. */
export function ingestSweeps({ db, engine, graceMs, hasEncoder = false }: IngestSweepParts): Sweep[] {
  async function call(handler: "run" | "embed" | "preview", rows: Row[]): Promise<number> {
    await Promise.all(
      rows.map(({ agent_id, id }) => engine.send("ingest", handler, objectKey(agent_id, id))),
    );
    return rows.length;
  }
  const grace = sql`${graceMs} * interval '1 millisecond'`;

  return [
    {
      name: "ingests_unfinished",
      // A row that is locked is being imported right now: its transaction holds it.
      run: async () => {
        const { rows } = await sql<Row>`
          update document_revision r set beat_at = now()
          from (
            select agent_id, id from document_revision
            where state in ('waiting', 'working') and beat_at < now() - ${grace}
            order by beat_at limit ${BATCH_MAX} for update skip locked
          ) silent
          where r.agent_id = silent.agent_id and r.id = silent.id
          returning r.agent_id, r.id`.execute(db);
        return call("run", rows);
      },
    },
    {
      name: "previews_unfinished",
      run: async () => {
        const { rows } = await sql<Row>`
          update upload u set beat_at = now()
          from (
            select agent_id, id from upload where preview_made < preview_asked and beat_at < now() - ${grace}
            order by beat_at limit ${BATCH_MAX} for update skip locked
          ) silent
          where u.agent_id = silent.agent_id and u.id = silent.id
          returning u.agent_id, u.id`.execute(db);
        return call("preview", rows);
      },
    },
    {
      name: "vectors_missing",
      run: async () => {
        const { rows } = await sql<Row>`
          update document_revision r set beat_at = now()
          from (
            select r.agent_id, r.id from agent_model m join document_revision r on r.agent_id = m.agent_id
            where m.kind = 'embedding' and r.state = 'current' and r.embedded_with is null and r.beat_at < now() - ${grace}
            limit ${BATCH_MAX} for update of r skip locked
          ) missing
          where r.agent_id = missing.agent_id and r.id = missing.id
          returning r.agent_id, r.id`.execute(db);
        return call("embed", rows);
      },
    },
    {
      name: "vectors_of_the_encoder_missing",
      run: async () => {
        if (!hasEncoder || !(await hasVectorTable(db))) return 0;
        const { rows } = await sql<Row>`
          update document_revision r set beat_at = now()
          from (
            select r.agent_id, r.id from document_revision r
            where r.state = 'current' and r.embedded_with is null and r.pairs <= ${ENCODED_PAIRS_MAX}
              and r.beat_at < now() - least(${grace}, interval '5 seconds')
              and not exists (select from agent_model m where m.agent_id = r.agent_id and m.kind = 'embedding')
            order by r.beat_at limit ${BATCH_MAX} for update of r skip locked
          ) missing
          where r.agent_id = missing.agent_id and r.id = missing.id
          returning r.agent_id, r.id`.execute(db);
        await call("embed", rows);
        // The way vectors of the encoder begin, and nothing that was forgotten.
        return 0;
      },
    },
    {
      name: "vectors_of_another_model",
      everyMs: 60_000,
      run: () => reembedPairs({ db, engine }),
    },
    {
      name: "imports_of_deleted_documents",
      run: async () => {
        const { numAffectedRows } = await sql`
          update document_revision r set state = 'failed', finished_at = now(),
            report = '{"cause": "document_deleted", "detail": "the document was deleted meanwhile"}'
          from (
            select r.agent_id, r.id from document_revision r join document d on d.agent_id = r.agent_id and d.id = r.document_id
            where r.state in ('waiting', 'working') and d.deleted_at is not null
            limit ${BATCH_MAX} for update of r skip locked
          ) orphan
          where r.agent_id = orphan.agent_id and r.id = orphan.id`.execute(db);
        return Number(numAffectedRows ?? 0);
      },
    },
    {
      name: "revisions_unreferenced",
      // The grace outlives every reader: one that found a pair may still ask for the whole of its answer.
      run: async () => {
        const { rows } = await sql<{ agent_id: string; document_id: string; revision: number }>`
          select agent_id, document_id, revision from document_revision
          where swept_at is null and state in ('superseded', 'failed') and finished_at < now() - greatest(${grace}, interval '30 seconds')
          order by finished_at limit ${SWEPT_AT_ONCE}`.execute(db);
        for (const { agent_id, document_id, revision } of rows)
          await sql`select signalbox_sweep_revision(${agent_id}, ${document_id}, ${revision})`.execute(db);
        return 0;
      },
    },
    {
      name: "knowledge_retention",
      everyMs: HOUR_MS,
      run: async () => {
        await sql`
          delete from ingest_chunk c using document_revision r
          where r.agent_id = c.agent_id and r.id = c.ingest_id and r.state not in ('waiting', 'working')`.execute(
          db,
        );
        await sql`
          delete from chunk_result c using document d
          where d.agent_id = c.agent_id and d.id = c.document_id and d.deleted_at < now() - ${DELETED_KEPT_DAYS} * interval '1 day'`.execute(
          db,
        );
        await sweepUploads(db);
        await sql`delete from archived_content where archived_at < now() - ${CONTENTS_KEPT_DAYS} * interval '1 day'`.execute(
          db,
        );
        return 0;
      },
    },
  ];
}

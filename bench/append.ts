import { openBed } from "@signalbox/tests/support/bed.ts";
import { startFileServer } from "@signalbox/tests/support/file-server.ts";
import { callerOf, importFile } from "./knowledge/import.ts";
import { csvOf, syntheticPairs } from "./knowledge/synthetic-pairs.ts";
import { percentile, readOptions, report } from "./support/report.ts";

// `npm run bench -- append --json`: what appending one pair costs, by how many pairs the document has already.
// A document holds 100,000 pairs at most.
const options = readOptions({ pairs: 99_900, appends: 20 });

await using files = await startFileServer();
await using bed = await openBed({
  apis: 1,
  workers: 1,
  environment: { RATE_LIMIT_PER_SECOND: "100000", LOG_LEVEL: "warn", IMPORT_ANSWER_SECONDS: "20" },
});

const p50Ms: Record<string, number> = {};
const slowestMs: Record<string, number> = {};
const walBytes: Record<string, number> = {};
const rowsAdded: Record<string, number> = {};
for (const size of [1_000, options.pairs]) {
  const { client } = await callerOf(bed);
  const csv = csvOf(syntheticPairs(size, size));
  const documentId = await importFile(client, files.put(`${size}.csv`, { bytes: csv }), `${size}.csv`);
  await bed.database.query("vacuum analyze qa_pair");
  // The pages written after a checkpoint are logged whole: with one just before, every run has as many.
  await bed.database.query("checkpoint");
  const from = await measured(documentId);
  const tookMs: number[] = [];
  for (const { question, answer } of syntheticPairs(options.appends, 1 + size)) {
    const began = performance.now();
    await client.knowledge.addPairs({ doc_id: documentId, chunks: [{ question, answer }] });
    tookMs.push(performance.now() - began);
  }
  const to = await measured(documentId);
  p50Ms[size] = percentile(tookMs, 0.5);
  slowestMs[size] = Math.max(...tookMs);
  walBytes[size] = (to.wal - from.wal) / options.appends;
  rowsAdded[size] = (to.rows - from.rows) / options.appends;
}

report("append", {
  append_p50_ms: p50Ms,
  append_slowest_ms: slowestMs,
  append_wal_bytes: walBytes,
  append_pair_rows: rowsAdded,
  also: { appends: options.appends },
});

async function measured(documentId: string): Promise<{ wal: number; rows: number }> {
  const [row] = await bed.database.query<{ wal: number; rows: number }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal,
      (select count(*)::float8 from qa_pair where document_id = $1) as rows`,
    [documentId],
  );
  return row ?? { wal: Number.NaN, rows: Number.NaN };
}

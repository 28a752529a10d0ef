import { openBed } from "@signalbox/tests/support/bed.ts";
import { startFileServer } from "@signalbox/tests/support/file-server.ts";
import { measureImport } from "./knowledge/import.ts";
import { fillBase, fillManyBases, measureRetrieval, type SearchedBase } from "./knowledge/retrieval.ts";
import { readOptions, report } from "./support/report.ts";

// `npm run bench -- knowledge --json`: how fast 100,000 pairs are in, and how fast one of many is found.
const PAIRS_A_BASE = 100;
const options = readOptions({ pairs: 100_000, bases: 10_000, queries: 300 });

await using files = await startFileServer();
await using bed = await openBed({
  apis: 1,
  workers: 1,
  environment: { RATE_LIMIT_PER_SECOND: "100000", LOG_LEVEL: "warn", IMPORT_ANSWER_SECONDS: "20" },
});

const imported = await measureImport(bed, files, options.pairs);
console.error("import", imported);

const p50: Record<string, number> = {};
const p95: Record<string, number> = {};
const sqlP95: Record<string, number> = {};
const overSql: Record<string, number> = {};
async function measure(size: string, bases: SearchedBase[]): Promise<void> {
  const found = await measureRetrieval(bed, bases, options.queries);
  console.error(size, found);
  p50[size] = found.p50Ms;
  p95[size] = found.p95Ms;
  sqlP95[size] = found.sqlP95Ms;
  overSql[size] = found.overSql;
}
for (const size of [1_000, 10_000, options.pairs])
  await measure(String(size), [await fillBase(bed, files, size)]);
await measure(
  `${options.bases * PAIRS_A_BASE}_in_${options.bases}`,
  await fillManyBases(bed, options.bases, PAIRS_A_BASE),
);

report("knowledge", {
  import_seconds_100k: imported.seconds,
  import_mb_over_idle: imported.megabytesOverIdle,
  import_over_copy: imported.overCopy,
  retrieve_p95_ms: p95,
  retrieve_over_sql: overSql,
  loop_delay_p99_ms: imported.loopDelayP99Ms,
  also: {
    import_pairs: options.pairs,
    copy_seconds: imported.copySeconds,
    import_over_copy_without_indexes: imported.overCopyWithoutIndexes,
    ...named("retrieve_p50_ms", p50),
    ...named("retrieve_sql_p95_ms", sqlP95),
  },
});

function named(name: string, bySize: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(bySize).map(([size, value]) => [`${name}_${size}`, value]));
}

// What a message leaves behind: bytes in PostgreSQL by table, write-ahead log, Restate's disk; and what processes hold at rest.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openBed } from "@signalbox/tests/support/bed.ts";
import { openArrivals } from "./support/arrivals.ts";
import { AS_SHIPPED } from "./support/as-shipped.ts";
import { pidsUnder } from "./support/cpu.ts";
import { readOptions, report } from "./support/report.ts";
import { openSender } from "./support/sender.ts";

const PER_BUSY_LANE = 20;
/** Outcomes are written after the receiver has answered. */
const SETTLE_MS = 5_000;

const options = readOptions({ messages: 8_000 });
await using bed = await openBed({
  apis: 1,
  workers: 1,
  ownCluster: true,
  environment: { ...AS_SHIPPED, RATE_LIMIT_PER_SECOND: "1000000" },
});
await using arrivals = await openArrivals();
const send = await openSender(bed, arrivals);
await send(100, PER_BUSY_LANE); // the first rows of a table take whole pages

const hot = await measureBytes(options.messages / PER_BUSY_LANE, PER_BUSY_LANE);
const cold = await measureBytes(options.messages / 2, 1);
const [counted] = await bed.database.query<{ connections: number }>(
  "select count(*)::integer as connections from pg_stat_activity where usename = 'signalbox_login'",
);
report("storage", {
  stored_bytes_hot: hot.stored,
  stored_bytes_cold: cold.stored,
  wal_bytes_hot: hot.wal,
  wal_bytes_cold: cold.wal,
  engine_bytes_hot: hot.engine,
  engine_bytes_cold: cold.engine,
  stored_bytes_hot_by_table: hot.byTable,
  stored_bytes_cold_by_table: cold.byTable,
  connections: counted?.connections ?? 0,
  memory_mb: {
    api: memoryMb(bed.api().pid()),
    worker: memoryMb(bed.worker().pid()),
    engine: memoryMb(bed.engine.pid()),
    largest_connection: Math.max(...pidsUnder(bed.ownCluster().pid()).slice(1).map(ownMemoryMb)),
  },
});

interface Bytes {
  stored: number;
  wal: number;
  engine: number;
  byTable: Record<string, number>;
}

/** Per message. Each page that is touched for the first time since a checkpoint is in the log as a whole: as in daily life. */
async function measureBytes(lanes: number, perLane: number): Promise<Bytes> {
  await bed.database.query("checkpoint");
  const before = await readBytes();
  await send(lanes, perLane);
  await sleep(SETTLE_MS);
  const after = await readBytes();
  const each = (bytes: number, former = 0) => (bytes - former) / (lanes * perLane);
  const tables = [...after.tables].map(
    ([name, bytes]) => [name, each(bytes, before.tables.get(name))] as const,
  );
  return {
    stored: tables.reduce((sum, [, bytes]) => sum + bytes, 0),
    wal: each(after.wal, before.wal),
    engine: each(after.engine, before.engine),
    byTable: Object.fromEntries(tables.filter(([, bytes]) => bytes >= 1).toSorted(([, a], [, b]) => b - a)),
  };
}

/** Tables with their indexes; partitions count with their parents. */
async function readBytes() {
  const tables = await bed.database.query<{ name: string; bytes: string }>(`
    select coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as name, sum(pg_total_relation_size(c.oid)) as bytes
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' group by 1`);
  const [log] = await bed.database.query<{ bytes: string }>(
    "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as bytes",
  );
  return {
    tables: new Map(tables.map(({ name, bytes }) => [name, Number(bytes)])),
    wal: Number(log?.bytes),
    engine: sizeOf(bed.engine.dataDirectory),
  };
}

function sizeOf(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + blocksOf(join(parentPath, name)) * 512, 0);
}

/** A file may go while it is looked at. */
function blocksOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.blocks ?? 0;
}

function memoryMb(pid: number): number {
  return kilobytes(pid, "VmRSS") / 1024;
}

/** Without what all connections share. */
function ownMemoryMb(pid: number): number {
  return kilobytes(pid, "RssAnon") / 1024;
}

function kilobytes(pid: number, name: string): number {
  return Number(
    new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1],
  );
}

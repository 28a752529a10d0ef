import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@signalbox/sdk";
import { openBed } from "@signalbox/tests/support/bed.ts";
import { Pool } from "undici";
import { openArrivals } from "./support/arrivals.ts";
import { cpuMsOf } from "./support/cpu.ts";
import { profileTable } from "./support/profile-table.ts";
import { percentile, readOptions, report } from "./support/report.ts";

// Many open handoffs, each with its timer; then a share of them is due within one minute. `--profile` adds where the worker's CPU time
// goes, and `--statements` what PostgreSQL spends on each statement; both cost some CPU themselves.

const IN_FLIGHT = 128;
const REST_SECONDS = 15;
/** A little less than the minute that is promised: 10,000 over 60 seconds could never come to 167 a second. */
const DUE_WITHIN_SECONDS = 59;
const DUE_AFTER_SECONDS = 30;
const GIVE_UP_MS = 180_000;
const FAR_SECONDS = 7_200;
const PROMISED_MS = 5_000;
const SLOT_MS = 250;

const options = readOptions({ open: 100_000, due: 10_000 });
const showsProfile = process.argv.includes("--profile");
const showsStatements = process.argv.includes("--statements");
const profiles = mkdtempSync(join(tmpdir(), "signalbox-profiles-"));
await using bed = await openBed({
  apis: 1,
  workers: 1,
  ownCluster: showsStatements ? { settings: { shared_preload_libraries: "pg_stat_statements" } } : true,
  environment: {
    RATE_LIMIT_PER_SECOND: "1000000",
    LOG_LEVEL: "info",
    RECONCILE_GRACE_SECONDS: "30",
    ...(showsProfile ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}` } : {}),
  },
});
await using arrivals = await openArrivals();
const { database } = bed;
const parts = {
  api: bed.api().pid(),
  worker: bed.worker().pid(),
  engine: bed.engine.pid(),
  postgres: bed.ownCluster().pid(),
};

const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken });
const { agent_id } = await operator.agents.create({ name: "Bench" });
await operator.webhooks.set({ agent_id, url: arrivals.url });
const { component_id } = await operator.desks.create({ agent_id, name: "Desk", url: arrivals.url });

/** Rows as they are while a human talks and the user's silence is counted; the warning was given. */
await database.query(
  `create table bench_handoff as
   select gen_random_uuid() as id, gen_random_uuid() as conversation_id, number from generate_series(1, ${options.open}) number`,
);
await database.query(
  `insert into conversation (agent_id, id, channel, user_id, control, epoch, handoff_id, last_seq)
   select $1, conversation_id, 'api', 'user', 'human', 1, id, 3 from bench_handoff`,
  [agent_id],
);
await database.query(
  `insert into handoff (agent_id, id, conversation_id, component_id, trigger, state, forwarded_seq, acknowledged_seq, replied_seq,
     timer_kind, timer_set_at, timer_due_at, timer_warnings, timer_wake_at)
   select $1, id, conversation_id, $2, 'api', 'active', 1, 1, 3, 'user_idle', now(), due_at, 2, due_at
   from bench_handoff, lateral (select now() + interval '${FAR_SECONDS} seconds' + number * interval '1 millisecond' as due_at) far`,
  [agent_id, component_id],
);
// Not the empty ones: a plan made for an empty lane table would scan it until it is analyzed again.
await database.query("analyze conversation, handoff, agent, webhook");

const engine = new Pool(new URL(bed.engine.ingressUrl).origin, { connections: IN_FLIGHT });
await setAlarms(await slotsWhere("true"));
await database.query("checkpoint");
const atRest = await measureRest();

await database.query(
  `update handoff h set timer_due_at = due_at, timer_wake_at = due_at
   from bench_handoff b, lateral (select now() + interval '${DUE_AFTER_SECONDS} seconds'
     + b.number * ${DUE_WITHIN_SECONDS * 1000}::float8 / ${options.due} * interval '1 millisecond' as due_at) soon
   where h.agent_id = $1 and h.id = b.id and b.number <= ${options.due}`,
  [agent_id],
);
await database.query(
  `create table bench_due as select id, conversation_id, timer_due_at as due_at from handoff
   where timer_due_at < now() + interval '10 minutes'`,
);
await setAlarms(await slotsWhere(`number <= ${options.due}`));
const [first] = await database.query<{ in_ms: number }>(
  "select extract(epoch from min(due_at) - now())::float8 * 1000 as in_ms from bench_due",
);
await new Promise((resolve) => setTimeout(resolve, Math.max(0, first?.in_ms ?? 0)));
if (showsStatements) {
  await database.query("create extension pg_stat_statements");
  await database.query("select pg_stat_statements_reset()");
}
const cpuMsEach = cpuMeter();
// A notice to the user and a close to the desk, each. The database is not asked meanwhile: that would be measured too.
const isAllArrived = await arrivals.waitFor(2 * options.due, GIVE_UP_MS).then(
  () => true,
  () => false,
);
const spent = cpuMsEach();
const arrived = arrivals.count();
const ended = await database.query<{ conversation_id: string; due_ms: number; ended_ms: number }>(
  `select d.conversation_id, extract(epoch from d.due_at)::float8 * 1000 as due_ms,
     extract(epoch from h.ended_at)::float8 * 1000 as ended_ms
   from bench_due d join handoff h using (id) where h.state = 'closed'`,
);
const lateMs = ended.map(({ due_ms, ended_ms }) => ended_ms - due_ms);
const noticeLateMs = ended.flatMap(({ conversation_id, due_ms }) =>
  arrivals.timesOf(conversation_id).map((at) => performance.timeOrigin + at - due_ms),
);
const firingMs = most(ended.map(({ ended_ms }) => ended_ms)) + most(ended.map(({ due_ms }) => -due_ms));
await engine.close();

if (showsStatements) await printStatements();
if (showsProfile) await printProfile();
rmSync(profiles, { recursive: true });

report("handoffs", {
  open: options.open,
  rest_cpu_ms_per_s: atRest.cpuMsPerSecond,
  rest_engine_mb: atRest.engineMb,
  rest_worker_mb: atRest.workerMb,
  due_in_a_minute: options.due,
  fired: ended.length,
  arrived,
  gave_up: isAllArrived ? 0 : 1,
  timers_per_s: (1000 * ended.length) / firingMs,
  late_ms_p50: percentile(lateMs, 0.5),
  late_ms_p99: percentile(lateMs, 0.99),
  late_ms_max: most(lateMs),
  // Until the user's webhook has the notice.
  notice_late_ms_p50: percentile(noticeLateMs, 0.5),
  notice_late_ms_p99: percentile(noticeLateMs, 0.99),
  notice_late_ms_max: most(noticeLateMs),
  within_5_s: lateMs.filter((ms) => ms <= PROMISED_MS).length / options.due,
  early: lateMs.filter((ms) => ms < 0).length,
  // With its two deliveries. The receiver is the bench's own process.
  cpu_ms_per_timer: Object.fromEntries(
    Object.entries(spent).map(([part, ms]) => [part, ms / Math.max(1, ended.length)]),
  ),
});

async function printStatements(): Promise<void> {
  const rows = await database.query<{ ms: number; calls: number; query: string }>(
    `select total_exec_time::float8 as ms, calls::integer, regexp_replace(left(query, 120), '\\s+', ' ', 'g') as query
     from pg_stat_statements order by total_exec_time desc limit 15`,
  );
  console.log("\n| ms a timer | calls a timer | statement |\n|---|---|---|");
  for (const { ms, calls, query } of rows)
    console.log(`| ${(ms / options.due).toFixed(3)} | ${(calls / options.due).toFixed(2)} | \`${query}\` |`);
}

/** A process writes its profile when it ends. */
async function printProfile(): Promise<void> {
  await bed.worker().stop();
  const file = readdirSync(profiles).find((name) => name.includes(`.${parts.worker}.`));
  if (file === undefined) throw new Error("the worker left no profile");
  console.log(`\n${profileTable(join(profiles, file))}`);
}

function most(values: number[]): number {
  return values.reduce((one, other) => Math.max(one, other), -Infinity);
}

/** The slots in which handoffs are due, as the service has them (ADR 0025). */
async function slotsWhere(condition: string): Promise<{ until: number; in_ms: number }[]> {
  return database.query(
    `select until::float8, until - extract(epoch from now())::float8 * 1000 as in_ms from (
       select distinct (floor(extract(epoch from timer_due_at) * 1000 / ${SLOT_MS}) + 1) * ${SLOT_MS} as until
       from handoff h join bench_handoff b using (id) where ${condition}) slot order by until`,
  );
}

async function setAlarms(slots: { until: number; in_ms: number }[]): Promise<void> {
  const begun = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (let one = slots[next++]; one !== undefined; one = slots[next++]) {
        const delay = Math.max(1, Math.ceil(one.in_ms - (performance.now() - begun)));
        const response = await engine.request({
          method: "POST",
          path: `/alarm/handoffTimers/send?delay=${delay}ms`,
          headers: { "content-type": "application/json", "idempotency-key": `handoffTimers-${one.until}` },
          body: JSON.stringify({ fromMs: one.until - SLOT_MS, untilMs: one.until }),
        });
        if (response.statusCode >= 300) throw new Error(await response.body.text());
        await response.body.dump();
      }
    }),
  );
}

/** From now on, for each part, in milliseconds. */
function cpuMeter(): () => Record<string, number> {
  // The bed's processes are children of this one, and not the receiver's part.
  const read = (): [string, number][] => [
    ...Object.entries(parts).map(([part, pid]): [string, number] => [part, cpuMsOf([pid])]),
    ["receiver", ownCpuMs()],
  ];
  const before = Object.fromEntries(read());
  return () => Object.fromEntries(read().map(([part, ms]) => [part, ms - (before[part] ?? 0)]));
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

async function measureRest(): Promise<{ cpuMsPerSecond: number; engineMb: number; workerMb: number }> {
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const before = cpuMsOf(Object.values(parts));
  await new Promise((resolve) => setTimeout(resolve, REST_SECONDS * 1000));
  return {
    cpuMsPerSecond: (cpuMsOf(Object.values(parts)) - before) / REST_SECONDS,
    engineMb: residentMb(parts.engine),
    workerMb: residentMb(parts.worker),
  };
}

function residentMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kb) / 1024;
}

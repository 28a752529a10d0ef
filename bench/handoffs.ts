import { readFileSync } from "node:fs";
import { createClient } from "@signalbox/sdk";
import { openBed } from "@signalbox/tests/support/bed.ts";
import { Pool } from "undici";
import { openArrivals } from "./support/arrivals.ts";
import { cpuMsOf } from "./support/cpu.ts";
import { percentile, readOptions, report } from "./support/report.ts";

// Many open handoffs, each with its timer; then a share of them is due within one minute.

const IN_FLIGHT = 128;
const REST_SECONDS = 15;
const DUE_WITHIN_SECONDS = 60;
const FAR_SECONDS = 7_200;
const PROMISED_MS = 5_000;
const SLOT_MS = 250;

const options = readOptions({ open: 100_000, due: 10_000 });
await using bed = await openBed({
  apis: 1,
  workers: 1,
  ownCluster: true,
  environment: { RATE_LIMIT_PER_SECOND: "1000000", LOG_LEVEL: "info", RECONCILE_GRACE_SECONDS: "30" },
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
const { agent_id } = await operator.createAgent({ name: "Bench" });
await operator.setMessageWebhook({ agent_id, url: arrivals.url });
const { component_id } = await operator.createHumanService({ agent_id, name: "Desk", url: arrivals.url });

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
   from bench_handoff b, lateral (select now() + interval '30 seconds'
     + b.number * ${DUE_WITHIN_SECONDS * 1000} / ${options.due} * interval '1 millisecond' as due_at) soon
   where h.agent_id = $1 and h.id = b.id and b.number <= ${options.due}`,
  [agent_id],
);
await database.query(
  `create table bench_due as select id, timer_due_at as due_at from handoff
   where timer_due_at < now() + interval '10 minutes'`,
);
await setAlarms(await slotsWhere(`number <= ${options.due}`));
const cpuMsEach = cpuMeter();
await eventuallyClosed(options.due, 180_000);
// A notice to the user and a close to the desk, each.
await arrivals.waitFor(2 * options.due, 180_000);
const spent = cpuMsEach();
const late = await database.query<{ ms: number }>(
  "select extract(epoch from h.ended_at - d.due_at)::float8 * 1000 as ms from bench_due d join handoff h using (id)",
);
const [firing] = await database.query<{ seconds: number }>(
  `select extract(epoch from max(h.ended_at) - min(d.due_at))::float8 as seconds from bench_due d join handoff h using (id)`,
);
const lateMs = late.map(({ ms }) => ms);
await engine.close();

report("handoffs", {
  open: options.open,
  rest_cpu_ms_per_s: atRest.cpuMsPerSecond,
  rest_engine_mb: atRest.engineMb,
  rest_worker_mb: atRest.workerMb,
  due_in_a_minute: options.due,
  timers_per_s: options.due / (firing?.seconds ?? Infinity),
  late_ms_p50: percentile(lateMs, 0.5),
  late_ms_p99: percentile(lateMs, 0.99),
  late_ms_max: Math.max(...lateMs),
  within_5_s: lateMs.filter((ms) => ms <= PROMISED_MS).length / lateMs.length,
  early: lateMs.filter((ms) => ms < 0).length,
  // With its two deliveries, and half a minute of waiting.
  engine_cpu_ms_per_timer: spent.engine / options.due,
  worker_cpu_ms_per_timer: spent.worker / options.due,
  postgres_cpu_ms_per_timer: spent.postgres / options.due,
});

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

/** From now on, for each part. */
function cpuMeter(): () => { engine: number; worker: number; postgres: number } {
  const { engine, worker, postgres } = parts;
  const before = [engine, worker, postgres].map((pid) => cpuMsOf([pid]));
  return () => {
    const [ofEngine = 0, ofWorker = 0, ofPostgres = 0] = [engine, worker, postgres].map(
      (pid, index) => cpuMsOf([pid]) - (before[index] ?? 0),
    );
    return { engine: ofEngine, worker: ofWorker, postgres: ofPostgres };
  };
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

async function eventuallyClosed(count: number, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const [row] = await database.query<{ closed: number }>(
      "select count(*)::int as closed from bench_due join handoff using (id) where state = 'closed'",
    );
    if (row?.closed === count) return;
    if (performance.now() > deadline) throw new Error(`${row?.closed} of ${count} fired in time`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import pg from "pg";
import { openRows } from "../tests/support/rows.ts";

// Lets old conversations of one agent go, as the worker does: batches of 200, each a call of the same function, as the same role.
const { values } = parseArgs({
  options: {
    conversations: { type: "string", default: "100000" },
    action: { type: "string", default: "delete" },
    json: { type: "boolean", default: false },
  },
});
const count = Number(values.conversations);
const [messages, deliveries] = [10, 2];
const tell = (text: string) => values.json || console.log(text);

await using rows = await openRows();
const { agentId, webhookId } = await rows.addAgent();
tell(`${count} old conversations of ${messages} messages, as many young ones beside them …`);
await rows.query(
  `with made as (
     insert into conversation (agent_id, id, channel, user_id, last_seq, created_at)
     select $1, gen_random_uuid(), 'api', 'user-' || n % 1000, $3, now() - make_interval(days => case when n > $2 then 1 else 100 end)
     from generate_series(1, 2 * $2::integer) n returning id, created_at),
   said as (
     insert into message (agent_id, conversation_id, seq, id, sender, text, created_at)
     select $1, made.id, n, gen_random_uuid(), 'user', repeat('word ', 20), made.created_at from made, generate_series(1, $3::integer) n),
   lanes as (
     insert into lane (agent_id, id, destination_id, conversation_id, state, tail_seq, done_seq)
     select $1, gen_random_uuid(), $4, id, 'idle', $5, $5 from made returning id),
   sent as (
     insert into delivery (agent_id, lane_id, seq, id, event, sender, body, state)
     select $1, lanes.id, n, gen_random_uuid(), 'message', 'ai', convert_to(repeat('body ', 100), 'utf8'), 'delivered'
     from lanes, generate_series(1, $5::integer) n returning id)
   insert into attempt (agent_id, delivery_id, number, id, started_at, duration_ms, http_status)
   select $1, id, 1, gen_random_uuid(), now(), 5, 200 from sent`,
  [agentId, count, messages, webhookId, deliveries],
);
await rows.query("vacuum analyze");

const client = new pg.Client({
  connectionString: rows.url,
  options: "-c role=signalbox_work -c plan_cache_mode=force_generic_plan",
});
await client.connect();
const batchMs: number[] = [];
let expired = 0;
let after = { last_at: new Date(0), last_id: "00000000-0000-0000-0000-000000000000" };
const begun = performance.now();
for (;;) {
  const batchBegun = performance.now();
  const { rows: found } = await client.query<typeof after & { expired: number }>(
    "select expired, last_at, last_id from signalbox_expire_conversations($1, 90, $2, $3, $4, 200)",
    [agentId, values.action === "redact", after.last_at, after.last_id],
  );
  batchMs.push(performance.now() - batchBegun);
  const [batch] = found;
  if (batch === undefined || batch.last_id === null) break;
  expired += batch.expired;
  after = batch;
}
const seconds = (performance.now() - begun) / 1000;
await client.end();
const [left] = await rows.query<{ n: number }>(
  "select count(*)::integer as n from conversation where agent_id = $1 and redacted_at is null",
  [agentId],
);
const sorted = batchMs.toSorted((a, b) => a - b);
const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
const result = {
  action: values.action,
  expired,
  left: left?.n,
  seconds: Number(seconds.toFixed(1)),
  conversations_per_second: Math.round(expired / seconds),
  batch_ms_p50: at(0.5),
  batch_ms_p99: at(0.99),
};
tell(
  `${expired} in ${result.seconds} s, ${result.conversations_per_second} a second; a batch took ${result.batch_ms_p50} ms (p99 ${result.batch_ms_p99} ms)`,
);
if (values.json) console.log(JSON.stringify(result));
if (expired !== count || left?.n !== count + 1) process.exitCode = 1;

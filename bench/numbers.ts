// What counting costs PostgreSQL (ADR 0036): a worker counts messages that were said between three hours and one hour ago, in all
// three passes. The statements of the sweep are told from others by their text.
import { makeAgent } from "@signalbox/tests/support/agents.ts";
import { openBed } from "@signalbox/tests/support/bed.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { readOptions, report } from "./support/report.ts";

const { messages, agents } = readOptions({ messages: 100_000, agents: 20 });
const PER_CONVERSATION = 10;
const COUNT_WITHIN_MS = 1_800_000;
const IS_OF_THE_SWEEP = `(query like '%numbers\\_%' or query like '%from message%where id >%order by id limit%')`;

await using bed = await openBed({
  apis: 1,
  workers: 1,
  ownCluster: { settings: { shared_preload_libraries: "pg_stat_statements" } },
  environment: { LOG_LEVEL: "info" },
});
const { database } = bed;
await database.query("create extension pg_stat_statements");
const agentIds: string[] = [];
for (let at = 0; at < agents; at += 1) agentIds.push((await makeAgent(bed, { webhook: false })).agentId);
await database.query("select pg_stat_statements_reset()");
const begun = performance.now();
// An id of version 7 is its time in milliseconds, and the rest at random.
await database.query(
  `with made as (
     insert into conversation (agent_id, id, channel, last_seq)
     select ($1::uuid[])[1 + n % cardinality($1::uuid[])], gen_random_uuid(), case n % 3 when 0 then 'widget' else 'api' end, $3
     from generate_series(1, $2::integer / $3::integer) n returning agent_id, id)
   insert into message (agent_id, conversation_id, seq, id, sender, branch, text, created_at)
   select agent_id, id, n, (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || substr(replace(gen_random_uuid()::text, '-', ''), 13))::uuid,
     case n % 2 when 1 then 'user' else 'ai' end, case n % 2 when 0 then 'direct' end, 'When do you open on Sundays and on holidays?', at
   from (select made.agent_id, made.id, n, now() - interval '1 hour' - random() * interval '2 hours' as at
     from made, generate_series(1, $3::integer) n) said`,
  [agentIds, messages, PER_CONVERSATION],
);
const [found] = await database.query<{ last: string }>(
  "select id as last from message order by id desc limit 1",
);
await eventually(
  "all passes have come to the last message",
  async () => {
    const [sweep] = await database.query<{ done: boolean }>(
      "select message_ids[3] >= $1 as done from numbers_sweep",
      [found?.last],
    );
    return sweep?.done === true;
  },
  { timeoutMs: COUNT_WITHIN_MS, everyMs: 1_000 },
);
const seconds = (performance.now() - begun) / 1_000;
const [spent] = await database.query<{ ms: number; calls: number; longest: number }>(
  `select sum(total_exec_time)::float8 as ms, sum(calls)::integer as calls, max(max_exec_time)::float8 as longest
   from pg_stat_statements where ${IS_OF_THE_SWEEP}`,
);
const [counted] = await database.query<{ messages: number; hours: number }>(
  `select sum(count) filter (where kind = 'message')::integer as messages, count(*)::integer as hours from numbers_hour`,
);
report("numbers", {
  messages,
  counted: counted?.messages ?? 0,
  rows: counted?.hours ?? 0,
  postgres_ms: Math.round(spent?.ms ?? NaN),
  postgres_us_per_message: Number((((spent?.ms ?? NaN) * 1000) / messages).toFixed(1)),
  statements: spent?.calls ?? 0,
  longest_statement_ms: Math.round(spent?.longest ?? NaN),
  seconds: Math.round(seconds),
});
if (counted?.messages !== messages) process.exitCode = 1;

import { randomUUID } from "node:crypto";
import type { BedDatabase } from "@signalbox/tests/support/bed.ts";

export interface SeededLog {
  /** The agent with the most of everything, its webhook and one of its conversations. */
  agentId: string;
  webhookId: string;
  conversationId: string;
  from: number;
  until: number;
}

export interface SeededAgent {
  id: string;
  webhook: string;
}

const AGENTS = 20;
const MESSAGES_EACH = 10;
const DELIVERIES_EACH = 10;
/** Yesterday and today have partitions, whatever the hour. */
const SPAN_HOURS = 24;

/** An id as the service makes it, ordered by time, of a moment `at` and a number `n`. */
const idOf = (at: string, n: string) =>
  `(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '7' || substr(md5((${n})::text), 1, 3) || '8' || substr(md5((${n})::text), 4, 15))::uuid`;

/** A log as it grows in a day: half of it one agent's, a new one unless it is given; texts of 5,000 words, some Chinese; one delivery in 500 dead. */
export async function seedLog(
  database: BedDatabase,
  { deliveries, messages, owner }: { deliveries: number; messages: number; owner?: SeededAgent },
): Promise<SeededLog> {
  const conversations = Math.ceil(Math.max(messages / MESSAGES_EACH, deliveries / DELIVERIES_EACH));
  const added = Array.from({ length: owner === undefined ? AGENTS : AGENTS - 1 }, () => ({
    id: randomUUID(),
    webhook: randomUUID(),
  }));
  const agents = owner === undefined ? added : [owner, ...added];
  for (const { id, webhook } of added) {
    await database.query("insert into agent (id, name) values ($1, 'Agent')", [id]);
    await database.query(
      `insert into webhook (id, agent_id, kind, url, signing_secret_sealed) values ($1, $2, 'message', 'https://a.example', '')`,
      [webhook, id],
    );
  }
  await database.query(
    `create table seeded as
       select n, agent, ${idOf("at", "n")} as id, md5('lane' || n)::uuid as lane, at,
         ($2::uuid[])[agent] as agent_id, ($3::uuid[])[agent] as webhook_id
       from (select n, case when n % 2 = 0 then 1 else 2 + (n / 2) % ${AGENTS - 1} end as agent,
         date_trunc('milliseconds', now() - interval '${SPAN_HOURS} hours' * (1 - n::float8 / $1)) as at
         from generate_series(1, $1::integer) n) x`,
    [conversations, agents.map(({ id }) => id), agents.map(({ webhook }) => webhook)],
  );
  await database.query(
    `insert into conversation (agent_id, id, channel, user_id, last_seq, created_at, no_answers)
     select agent_id, id, case when n % 10 = 0 then 'widget' else 'api' end, 'user-' || n % 5000, ${MESSAGES_EACH}, at,
       case when n % 50 = 0 then 1 else 0 end
     from seeded`,
  );
  await database.query(
    `insert into message (agent_id, conversation_id, seq, id, sender, text, created_at)
     select agent_id, id, s, ${idOf("at + s * interval '1 second'", "n * 100 + s")}, case when s % 2 = 1 then 'user' else 'ai' end,
       (select string_agg('word' || floor(5000 * power(random(), 3))::integer, ' ') from generate_series(1, 12 + n % 2 + s % 2))
         || case when n % 20 = 0 then ' 我想退货和换货' else '' end,
       at + s * interval '1 second'
     from seeded, generate_series(1, ${MESSAGES_EACH}) s where n <= $1`,
    [Math.ceil(messages / MESSAGES_EACH)],
  );
  await database.query(
    `insert into lane (agent_id, id, destination_id, conversation_id, state, tail_seq, done_seq)
     select agent_id, lane, webhook_id, id, 'idle', ${DELIVERIES_EACH}, ${DELIVERIES_EACH} from seeded`,
  );
  await database.query(
    `insert into delivery (agent_id, lane_id, seq, created_at, id, event, sender, body, state, cause, attempts, finished_at)
     select agent_id, lane, s, date_trunc('milliseconds', at + s * interval '1 second'), ${idOf("at + s * interval '1 second'", "n * 100 + s")},
       case when n % 100 = 0 and s = 10 then 'handoff_closed' else 'message' end, 'ai',
       convert_to(repeat('{"content":"body"}', 20), 'utf8'),
       case when (n * 10 + s) % 500 = 0 then 'dead' else 'delivered' end,
       case when (n * 10 + s) % 500 = 0 then 'timeout' end, 1, at + s * interval '1 second'
     from seeded, generate_series(1, ${DELIVERIES_EACH}) s where n <= $1`,
    [Math.ceil(deliveries / DELIVERIES_EACH)],
  );
  await database.query(
    "insert into dead_letter (agent_id, delivery_id, created_at) select agent_id, id, created_at from delivery where state = 'dead'",
  );
  await database.query("select signalbox_index_messages()");
  await database.query("vacuum analyze");
  const [one] = await database.query<{
    agent_id: string;
    webhook_id: string;
    id: string;
    from: Date;
    until: Date;
  }>(
    `select s.agent_id, s.webhook_id, s.id, (select min(at) from seeded) as "from", (select max(at) from seeded) as until
     from seeded s where s.agent = 1 order by n desc limit 1`,
  );
  await database.query("drop table seeded");
  if (one === undefined) throw new Error("nothing was seeded");
  return {
    agentId: one.agent_id,
    webhookId: one.webhook_id,
    conversationId: one.id,
    from: one.from.getTime(),
    until: one.until.getTime(),
  };
}

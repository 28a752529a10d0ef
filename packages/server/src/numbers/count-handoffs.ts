import { sql, type RawBuilder } from "kysely";
import type { Database } from "../platform/index.ts";

const STEP_MAX = 500;
/** Lengths are counted by the first of these seconds that they fit into; the last holds the rest. */
export const BUCKET_SECONDS = [
  5, 10, 20, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 86_400, 604_800,
] as const;

const bucket = (ms: RawBuilder<unknown>) =>
  sql`coalesce((select min(s)::text from unnest(${[...BUCKET_SECONDS]}::integer[]) s where s * 1000 >= ${ms}), 'more')`;
const hourOf = (at: RawBuilder<unknown>) => sql`date_trunc('hour', ${at}, 'UTC')`;
const msBetween = (from: RawBuilder<unknown>, to: RawBuilder<unknown>) =>
  sql`greatest(0, extract(epoch from ${to} - ${from}) * 1000)::bigint`;
/** Figures written about a deleted agent would outlive its purge. */
const isAlive = (agentId: RawBuilder<unknown>) =>
  sql`exists (select from agent where id = ${agentId} and deleted_at is null)`;

const ADD_FACTS = sql`
  insert into numbers_hour as n (agent_id, hour, channel, language, kind, detail, count, total_ms)
  select agent_id, hour, channel, language, kind, detail, count(*), sum(ms) from facts group by 1, 2, 3, 4, 5, 6
  on conflict (agent_id, hour, channel, language, kind, detail)
  do update set count = n.count + excluded.count, total_ms = n.total_ms + excluded.total_ms`;

/** Counts the requests of handoffs that have no row yet. The conversation's language is known: its messages are counted first. */
export async function countNewHandoffs(db: Database, handoffs: RawBuilder<unknown>): Promise<void> {
  await sql`
    with added as (
      insert into numbers_handoff (agent_id, handoff_id, conversation_id, channel, language)
      select h.agent_id, h.id, h.conversation_id, c.channel, coalesce(p.language, 'en')
      from (${handoffs}) h
      cross join lateral (select channel from conversation where agent_id = h.agent_id and id = h.conversation_id) c
      left join lateral (select language from numbers_conversation
        where agent_id = h.agent_id and conversation_id = h.conversation_id) p on true
      where ${isAlive(sql`h.agent_id`)}
        and not exists (select from numbers_handoff k where k.agent_id = h.agent_id and k.handoff_id = h.id)
      on conflict (agent_id, handoff_id) do nothing
      returning agent_id, handoff_id, channel, language
    ),
    facts as (
      select a.agent_id, ${hourOf(sql`h.requested_at`)} as hour, a.channel, a.language, 'handoff' as kind, h.trigger as detail, 0 as ms
      from added a, lateral (select requested_at, trigger from handoff where agent_id = a.agent_id and id = a.handoff_id) h
    )
    ${ADD_FACTS}`.execute(db);
}

/** Those that are open, found by the index of open handoffs: a request need not be followed by a message. */
export function countOpenHandoffs(db: Database): Promise<void> {
  return countNewHandoffs(
    db,
    sql`select * from handoff o where state in ('requested', 'connecting', 'active') and ${isAlive(sql`o.agent_id`)}
      and not exists (select from numbers_handoff k where k.agent_id = o.agent_id and k.handoff_id = o.id) limit ${STEP_MAX}`,
  );
}

/** Counts the first reply and the end of handoffs whose request is counted. Returns where to go on; undefined: no more. */
export async function countProgressOnce(db: Database, after: string): Promise<string | undefined> {
  const { rows } = await sql<{ handoff_id: string; is_gone: boolean }>`
    select k.handoff_id, h.id is null as is_gone from (
      select agent_id, handoff_id from numbers_handoff where not is_ended and handoff_id > ${after}::uuid
      order by handoff_id limit ${STEP_MAX}) k
    left join lateral (select id from handoff where agent_id = k.agent_id and id = k.handoff_id) h on true
    order by k.handoff_id`.execute(db);
  const last = rows.at(-1);
  if (last === undefined) return undefined;
  const gone = rows.filter(({ is_gone }) => is_gone).map(({ handoff_id }) => handoff_id);
  if (gone.length > 0)
    await sql`delete from numbers_handoff where not is_ended and handoff_id = any(${gone}::uuid[])`.execute(
      db,
    );
  const waited = msBetween(sql`requested_at`, sql`first_reply_at`);
  const lasted = msBetween(sql`requested_at`, sql`ended_at`);
  await sql`
    with moved as materialized (
      select k.agent_id, k.handoff_id, k.channel, k.language, k.has_reply, h.requested_at, h.first_reply_at, h.ended_at, h.reason
      from unnest(${rows.map(({ handoff_id }) => handoff_id)}::uuid[]) as wanted(id)
      cross join lateral (select * from numbers_handoff where handoff_id = wanted.id and not is_ended) k
      cross join lateral (select requested_at, first_reply_at, ended_at, reason from handoff
        where agent_id = k.agent_id and id = k.handoff_id) h
      where ${isAlive(sql`k.agent_id`)} and (h.ended_at is not null or (h.first_reply_at is not null and not k.has_reply))
    ),
    noted as (
      update numbers_handoff k set has_reply = m.first_reply_at is not null, is_ended = m.ended_at is not null
      from moved m where k.agent_id = m.agent_id and k.handoff_id = m.handoff_id
    ),
    replied as (select * from moved where first_reply_at is not null and not has_reply),
    ended as (select * from moved where ended_at is not null),
    facts as (
      select agent_id, ${hourOf(sql`first_reply_at`)} as hour, channel, language, 'first_reply' as kind, ${bucket(waited)} as detail,
        ${waited} as ms from replied
      union all
      select agent_id, ${hourOf(sql`first_reply_at`)}, channel, language, 'waiting', ${bucket(waited)}, ${waited} from replied
      union all
      select agent_id, ${hourOf(sql`ended_at`)}, channel, language, 'waiting', ${bucket(lasted)}, ${lasted} from ended
      where first_reply_at is null and reason not in ('refused', 'message_left')
      union all
      select agent_id, ${hourOf(sql`ended_at`)}, channel, language, 'handoff_end', coalesce(reason, ''), 0 from ended
      union all
      select agent_id, ${hourOf(sql`ended_at`)}, channel, language, 'resolved', ${bucket(lasted)}, ${lasted} from ended
      where first_reply_at is not null and reason in ('human_closed', 'user_closed', 'user_idle')
    )
    ${ADD_FACTS}`.execute(db);
  return rows.length === STEP_MAX ? last.handoff_id : undefined;
}

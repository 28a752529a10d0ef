import type { InputOf } from "@signalbox/contract";
import { sql } from "kysely";
import type { Database } from "../platform/index.ts";
import type { GroupedRow } from "./figures.ts";

interface RatedRow {
  at: Date;
  channel: string;
  language: string;
  agent_id: string;
  detail: string;
  count: number;
}

/** Ratings are few and may change: they are counted when somebody looks, by agent and time, and not kept elsewhere. */
export async function readRatings(
  db: Database,
  { agent_id, channel, language, step }: InputOf<"getNumbers">,
  { from, to }: { from: number; to: number },
  zone: string,
): Promise<GroupedRow[]> {
  const ofAgent = agent_id === undefined ? sql`true` : sql`a.id = ${agent_id}::uuid`;
  const onChannel = channel === undefined ? sql`true` : sql`c.channel = ${channel}`;
  const inLanguage = language === undefined ? sql`true` : sql`p.language = ${language}`;
  const { rows } = await sql<RatedRow>`
    select date_trunc(${step}, r.created_at, ${zone}) as at, c.channel, coalesce(p.language, '') as language, a.id as agent_id,
      r.rating as detail, count(*)::integer as count
    from agent a
    cross join lateral (select conversation_id, rating, created_at from conversation_rating where agent_id = a.id
      and created_at >= date_trunc('hour', ${new Date(from)}::timestamptz, 'UTC') and created_at < ${new Date(to)}::timestamptz) r
    cross join lateral (select channel from conversation where agent_id = a.id and id = r.conversation_id) c
    left join lateral (select language from numbers_conversation where agent_id = a.id and conversation_id = r.conversation_id) p on true
    where ${ofAgent} and ${onChannel} and ${inLanguage}
    group by 1, 2, 3, 4, 5`.execute(db);
  const none = { at: null, channel: null, language: null, agent_id: null, kind: "rating", ms: 0 };
  return rows.flatMap(({ at, channel, language, agent_id, detail, count }) => [
    { ...none, at, detail, count },
    { ...none, channel, detail, count },
    { ...none, language, detail, count },
    { ...none, agent_id, detail, count },
  ]);
}

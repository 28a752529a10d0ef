import type { InputOf, Numbers } from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";
import { requireAgent } from "../agents/index.ts";
import { inTransaction, planForValues, type Refusal, timeOfId, type Database } from "../platform/index.ts";
import { figuresOf, type Fact, type GroupedRow } from "./figures.ts";
import { readRatings } from "./read-ratings.ts";

type Query = InputOf<"getNumbers">;
const AGENTS_SHOWN = 100;

export function getNumbers({ db }: { db: Database }, query: Query): Promise<Numbers | Refusal> {
  return inTransaction(db, async (db) => {
    const missing = query.agent_id === undefined ? undefined : await requireAgent(db, query.agent_id);
    if (missing !== undefined) return missing;
    // Ranges and agents differ in size by orders of magnitude.
    await planForValues(db);
    const { from_time: from, to_time: to } = query;
    const rows = [
      ...(await readGroups(db, query)),
      ...(await readRatings(db, query, { from, to }, zoneOf(query))),
    ];
    const withTokens = query.channel === undefined && query.language === undefined;
    const before = { from: from - (to - from), to: from };
    const ratedBefore = await readRatings(db, query, before, zoneOf(query));
    const previous = [...(await readSums(db, query, before)), ...ratedBefore.filter(({ at }) => at !== null)];
    const ofTime = Map.groupBy(
      rows.filter(({ at }) => at !== null),
      ({ at }) => at?.getTime() ?? 0,
    );
    const series = await readSteps(db, query);
    return {
      totals: figuresOf([...ofTime.values()].flat(), withTokens),
      previous: figuresOf(previous, withTokens),
      series: series.map((time) => ({ time, ...figuresOf(ofTime.get(time) ?? [], withTokens) })),
      channels: splitBy(rows, "channel", "channel", false) as Numbers["channels"],
      languages: splitBy(rows, "language", "language", false) as Numbers["languages"],
      agents: (splitBy(rows, "agent_id", "agent_id", withTokens) as Numbers["agents"]).slice(0, AGENTS_SHOWN),
      counted_time: await readCountedTime(db),
    };
  });
}

function splitBy(
  rows: GroupedRow[],
  field: "channel" | "language" | "agent_id",
  name: string,
  withTokens: boolean,
) {
  const groups = Map.groupBy(
    // Tokens belong to no conversation, so to no channel and no language.
    rows.filter((row) => row[field] !== null && row[field] !== ""),
    (row) => row[field] ?? "",
  );
  return [...groups]
    .map(([key, facts]) => ({ [name]: key, ...figuresOf(facts, withTokens) }))
    .toSorted((one, other) => other.conversations - one.conversations);
}

/** Hours are kept by UTC, and begin with those of most zones. */
function zoneOf({ step, time_zone }: Query): string {
  return step === "hour" ? "UTC" : time_zone;
}

async function readGroups(db: Database, query: Query): Promise<GroupedRow[]> {
  const { step, from_time: from, to_time: to } = query;
  const { rows } = await sql<GroupedRow>`
    select at, channel, language, agent_id, kind, detail, sum(count)::bigint as count, sum(total_ms)::bigint as ms
    from (select *, date_trunc(${step}, hour, ${zoneOf(query)}) as at from numbers_hour where ${within(query, { from, to })}) n
    group by grouping sets ((at, kind, detail), (channel, kind, detail), (language, kind, detail), (agent_id, kind, detail))`.execute(
    db,
  );
  return rows;
}

async function readSums(db: Database, query: Query, range: { from: number; to: number }): Promise<Fact[]> {
  const { rows } = await sql<Fact>`
    select kind, detail, sum(count)::bigint as count, sum(total_ms)::bigint as ms
    from numbers_hour where ${within(query, range)} group by kind, detail`.execute(db);
  return rows;
}

/** All of them, also those in which nothing happened; a day of a zone may have 23 or 25 hours. */
async function readSteps(db: Database, query: Query): Promise<number[]> {
  const { step, from_time, to_time } = query;
  const zone = sql`${zoneOf(query)}::text`;
  const { rows } = await sql<{ at: Date }>`
    select distinct local_at at time zone ${zone} as at
    from generate_series(date_trunc(${step}, ${new Date(from_time)}::timestamptz at time zone ${zone}),
      (${new Date(to_time)}::timestamptz - interval '1 millisecond') at time zone ${zone}, ${`1 ${step}`}::interval) local_at
    order by 1`.execute(db);
  return rows.map(({ at }) => at.getTime());
}

function within(
  { agent_id, channel, language }: Query,
  { from, to }: { from: number; to: number },
): RawBuilder<unknown> {
  const conditions = [
    sql`hour >= date_trunc('hour', ${new Date(from)}::timestamptz, 'UTC')`,
    sql`hour < ${new Date(to)}::timestamptz`,
    ...(agent_id === undefined ? [] : [sql`agent_id = ${agent_id}::uuid`]),
    ...(channel === undefined ? [] : [sql`channel = ${channel}`]),
    ...(language === undefined ? [] : [sql`language = ${language}`]),
  ];
  return sql.join(conditions, sql` and `);
}

async function readCountedTime(db: Database): Promise<number | null> {
  const { rows } = await sql<{ id: string }>`select message_ids[1] as id from numbers_sweep`.execute(db);
  const time = timeOfId(rows[0]?.id ?? "");
  return time === 0 ? null : time;
}

import type { DestinationPage, DestinationState, InputOf } from "@signalbox/contract";
import { sql } from "kysely";
import { objectKey, type Engine } from "../../engine/index.ts";
import {
  refuse,
  Refusal,
  type Database,
  type OperatorCaller,
  type OperatorWriting,
} from "../../platform/index.ts";
import { storeClosedBreaker } from "./destination-store.ts";

interface StateRow {
  id: string;
  agent_id: string;
  kind: DestinationState["kind"];
  name: string | null;
  url: string;
  breaker: DestinationState["breaker"];
  changed_at: Date | null;
  tries: number;
  next_try_at: Date | null;
  lanes_parked: number;
  lanes_retrying: number;
  oldest_waiting_at: Date | null;
}

const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Every webhook with what is known of its health: which are down, since when, and what waits for them. */
export async function listDestinations(
  { db }: { db: Database },
  { agent_id, cursor = LAST, limit }: InputOf<"listDestinations">,
): Promise<DestinationPage | Refusal> {
  if (!UUID.test(cursor))
    return refuse("badParameter", "cursor must be the next_cursor of an earlier page of this list");
  const rows = await readStates(db, {
    where: sql`id < ${cursor} ${agent_id === undefined ? sql`` : sql`and agent_id = ${agent_id}`}`,
    most: limit + 1,
  });
  const page = rows.slice(0, limit);
  return { list: page.map(describe), next_cursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
}

/** A developer said 410 and has thought better of it: what waits goes out in order, at the pace of any recovery. */
export async function enableDestination(
  { engine, operator }: { engine: Engine; operator: OperatorWriting },
  caller: OperatorCaller,
  { agent_id, webhook_id }: InputOf<"enableDestination">,
): Promise<DestinationState | Refusal> {
  const state = await operator.write(caller, async (db): Promise<DestinationState | Refusal> => {
    const where = sql`id = ${webhook_id} and agent_id = ${agent_id}`;
    const [before] = await readStates(db, { where, most: 1 });
    if (before === undefined) return refuse("notFound", "this agent has no webhook with this webhook_id");
    if (before.breaker === "open")
      return refuse(
        "stateConflict",
        "this webhook is down, not disabled; Signalbox keeps retrying until it responds",
      );
    if (before.breaker === "closed") return describe(before);
    await storeClosedBreaker(db, webhook_id, "disabled");
    await operator.audit(db, caller, {
      action: "destination.enable",
      agentId: agent_id,
      subjectId: webhook_id,
      detail: { url: before.url, lanes_parked: before.lanes_parked },
    });
    const [after = before] = await readStates(db, { where, most: 1 });
    return describe(after);
  });
  if (!(state instanceof Refusal))
    await engine.send("destination", "recover", objectKey(agent_id, webhook_id));
  return state;
}

/**
 * A webhook or an agent was changed or deleted: lanes that wait for what is no longer so are woken. Each looks for itself
 * whether it has somewhere to go; without a destination its messages are dead-lettered. The reconciler does the same, later.
 */
export async function recheckDestinations(
  { db, engine }: { db: Database; engine: Engine },
  agentId: string,
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select distinct destination_id as id from lane where agent_id = ${agentId} and state = 'parked'`.execute(
    db,
  );
  await Promise.all(rows.map(({ id }) => engine.send("destination", "recover", objectKey(agentId, id))));
}

async function readStates(
  db: Database,
  { where, most }: { where: ReturnType<typeof sql>; most: number },
): Promise<StateRow[]> {
  const { rows } = await sql<StateRow>`
    with listed as (
      select id, agent_id, kind, name, url from webhook where deleted_at is null and ${where} order by id desc limit ${most}
    )
    select listed.*, coalesce(d.breaker, 'closed') as breaker, d.changed_at, coalesce(d.tries, 0) as tries,
      case d.breaker when 'open' then d.next_try_at end as next_try_at,
      waiting.lanes_parked, waiting.lanes_retrying, waiting.oldest_waiting_at
    from listed
    left join destination d on d.id = listed.id and d.url = listed.url
    cross join lateral (
      select count(*) filter (where state = 'parked')::integer as lanes_parked,
        count(blocked_since)::integer as lanes_retrying,
        min(greatest(pending_since, not_before)) as oldest_waiting_at
      from lane where agent_id = listed.agent_id and destination_id = listed.id and state in ('awake', 'parked')
        and (not_before is null or not_before <= now())
    ) waiting
    order by listed.id desc`.execute(db);
  return rows;
}

function describe(row: StateRow): DestinationState {
  return {
    webhook_id: row.id,
    agent_id: row.agent_id,
    kind: row.kind,
    name: row.name,
    url: row.url,
    breaker: row.breaker,
    since_time: row.changed_at?.getTime() ?? null,
    tries: row.tries,
    next_try_time: row.next_try_at?.getTime() ?? null,
    lanes_parked: row.lanes_parked,
    lanes_retrying: row.lanes_retrying,
    oldest_waiting_time: row.oldest_waiting_at?.getTime() ?? null,
  };
}

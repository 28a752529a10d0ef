import { causePage, type Delivery, type DeliveryPage, type InputOf } from "@signalbox/contract";
import { inTransaction, planForValues, refuse, Refusal, type Database } from "../platform/index.ts";
import {
  endOfScan,
  findDeliveries,
  type DeliveryFilter,
  type DeliveryRow,
  type Position,
  type Scan,
} from "./delivery-filter.ts";

/** A page costs no more than this, however rare what is sought: it may come back short, with a cursor to go on from. */
const LOOKED_AT_MAX = 10_000;

/** Newest first, by the time of acceptance. */
export async function listDeliveries(
  { db }: { db: Database },
  { cursor, limit, ...query }: InputOf<"listDeliveries">,
): Promise<DeliveryPage | Refusal> {
  const after = readCursor(cursor);
  if (after instanceof Refusal) return after;
  const agentId = await agentOf(db, query);
  if (agentId === null) return { list: [], next_cursor: null };
  const scan = {
    filter: { ...filterOf(query), agentId },
    direction: "newest_first",
    after,
    most: LOOKED_AT_MAX,
  } satisfies Scan;
  return inTransaction(db, async (db) => {
    await planForValues(db);
    const { rows } = await findDeliveries(scan, limit + 1).execute(db);
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const end =
      rows.length > limit && last !== undefined
        ? { at: last.created_at, id: last.id }
        : (await endOfScan(scan).execute(db)).rows[0];
    return { list: page.map(describeDelivery), next_cursor: end === undefined ? null : writeCursor(end) };
  });
}

/** A webhook has one agent, by whose index its deliveries are found; null when there is no such webhook. */
export async function agentOf(
  db: Database,
  { agent_id, webhook_id }: Pick<FilterFields, "agent_id" | "webhook_id">,
): Promise<string | undefined | null> {
  if (agent_id !== undefined || webhook_id === undefined) return agent_id;
  const row = await db
    .selectFrom("webhook")
    .select("agent_id")
    .where("id", "=", webhook_id)
    .executeTakeFirst();
  return row?.agent_id ?? null;
}

type FilterFields = Omit<InputOf<"listDeliveries">, "cursor" | "limit">;

export function filterOf(fields: FilterFields): DeliveryFilter {
  const time = (value: number | undefined) => (value === undefined ? undefined : new Date(value));
  return {
    agentId: fields.agent_id,
    webhookId: fields.webhook_id,
    conversationId: fields.conversation_id,
    state: fields.state,
    cause: fields.cause,
    event: fields.event,
    from: time(fields.from_time),
    to: time(fields.to_time),
  };
}

export function describeDelivery(row: DeliveryRow): Delivery {
  return {
    delivery_id: row.id,
    agent_id: row.agent_id,
    webhook_id: row.destination_id,
    conversation_id: row.conversation_id,
    event: row.event,
    sender: row.sender,
    sequence: row.replay_seq ?? row.seq,
    state: row.state,
    cause: row.cause,
    cause_page: row.cause === null ? null : causePage(row.cause),
    attempt_count: row.attempts,
    replay_of: row.replay_of,
    create_time: row.created_at.getTime(),
    finish_time: row.finished_at?.getTime() ?? null,
  };
}

const CURSOR = /^(\d{1,15})_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function readCursor(cursor: string | undefined): Position | undefined | Refusal {
  if (cursor === undefined) return undefined;
  const [, time, id] = CURSOR.exec(cursor) ?? [];
  if (time === undefined || id === undefined)
    return refuse("badParameter", "cursor must be a next_cursor of this list");
  return { at: new Date(Number(time)), id };
}

/** Times of acceptance are whole milliseconds, so nothing is lost on the way. */
function writeCursor({ at, id }: Position): string {
  return `${at.getTime()}_${id}`;
}

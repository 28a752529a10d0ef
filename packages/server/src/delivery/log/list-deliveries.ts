import { causePage, type Delivery, type DeliveryPage, type InputOf } from "@signalbox/contract";
import {
  inTransaction,
  OPERATOR_SCOPE,
  planForValues,
  refuse,
  Refusal,
  type Database,
  type OperatorCaller,
  type OperatorWriting,
} from "../../platform/index.ts";
import {
  endOfScan,
  findDeliveries,
  type DeliveryFilter,
  type DeliveryRow,
  type Position,
  type Scan,
} from "./delivery-filter.ts";
import { readPreviews } from "./previews.ts";

/** A page costs no more than this, however rare what is sought: it may come back short, with a cursor to go on from. */
const LOOKED_AT_MAX = 10_000;

/** Previews show what was said, so a page with them is recorded before it is answered. */
export async function listDeliveries(
  { db, operator }: { db: Database; operator: OperatorWriting },
  caller: OperatorCaller,
  query: InputOf<"listDeliveries">,
): Promise<DeliveryPage | Refusal> {
  const page = await readDeliveryPage(db, query);
  if (page instanceof Refusal || !query.with_preview) return page;
  const agentId = query.agent_id ?? OPERATOR_SCOPE;
  await operator.recordRead(db, caller, { action: "deliveries.read", agentId, subjectId: agentId });
  return page;
}

/** Newest first, by the time of acceptance. */
export async function readDeliveryPage(
  db: Database,
  { cursor, limit, with_preview, ...query }: InputOf<"listDeliveries">,
): Promise<DeliveryPage | Refusal> {
  const after = readCursor(cursor);
  if (after instanceof Refusal) return after;
  const place = await placeOf(db, query);
  if (place === undefined) return { list: [], next_cursor: null };
  const scan = {
    filter: filterOf({ ...query, ...place }),
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
    const previews = with_preview ? await readPreviews(db, page) : new Map<string, string>();
    return {
      list: page.map((row) => ({ ...describeDelivery(row), preview: previews.get(row.id) ?? null })),
      next_cursor: end === undefined ? null : writeCursor(end),
    };
  });
}

type FilterFields = Omit<InputOf<"listDeliveries">, "cursor" | "limit" | "with_preview">;
type Place = Pick<FilterFields, "agent_id" | "conversation_id">;

/**
 * Where to look: a message has one conversation and a webhook one agent, by whose indexes their deliveries are found.
 * Undefined when there is no such message or webhook, or not where the rest of the filter looks.
 */
export async function placeOf(
  db: Database,
  { agent_id, conversation_id, message_id, webhook_id }: FilterFields,
): Promise<Place | undefined> {
  if (message_id !== undefined) {
    let query = db.selectFrom("message").select(["agent_id", "conversation_id"]).where("id", "=", message_id);
    if (agent_id !== undefined) query = query.where("agent_id", "=", agent_id);
    if (conversation_id !== undefined) query = query.where("conversation_id", "=", conversation_id);
    return query.executeTakeFirst();
  }
  if (agent_id !== undefined) return { agent_id, conversation_id };
  if (webhook_id === undefined) return {};
  return db.selectFrom("webhook").select("agent_id").where("id", "=", webhook_id).executeTakeFirst();
}

export function filterOf(fields: FilterFields): DeliveryFilter {
  const time = (value: number | undefined) => (value === undefined ? undefined : new Date(value));
  return {
    agentId: fields.agent_id,
    webhookId: fields.webhook_id,
    conversationId: fields.conversation_id,
    messageId: fields.message_id,
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
    message_id: row.message_id,
    in_reply_to: row.in_reply_to,
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
    return refuse("badParameter", "cursor must be the next_cursor of an earlier page of this list");
  return { at: new Date(Number(time)), id };
}

/** Times of acceptance are whole milliseconds, so nothing is lost on the way. */
function writeCursor({ at, id }: Position): string {
  return `${at.getTime()}_${id}`;
}

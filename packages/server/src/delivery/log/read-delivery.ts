import { isUtf8 } from "node:buffer";
import {
  causePage,
  type Cause,
  type DeliveryAttempt,
  type DeliveryDetail,
  type InputOf,
} from "@signalbox/contract";
import { sql } from "kysely";
import {
  refuse,
  type Database,
  type OperatorCaller,
  type OperatorWriting,
  type Refusal,
} from "../../platform/index.ts";
import { redactedHeaders } from "../../webhooks/index.ts";
import { factsOf, webhookIdOf } from "../lanes/attempt.ts";
import type { DeliveryRow } from "./delivery-filter.ts";
import { describeDelivery } from "./list-deliveries.ts";

/** One delivery with its body and every attempt. It shows what users said, so the read is recorded before it is answered. */
export async function getDelivery(
  { db, operator }: { db: Database; operator: OperatorWriting },
  caller: OperatorCaller,
  { delivery_id }: InputOf<"getDelivery">,
): Promise<DeliveryDetail | Refusal> {
  const row = await findDelivery(db, delivery_id);
  if (row === undefined) return noDelivery();
  const detail = await detailOf(db, row);
  await operator.recordRead(db, caller, {
    action: "delivery.read",
    agentId: row.agent_id,
    subjectId: row.id,
  });
  return detail;
}

async function detailOf(db: Database, row: DeliveryRow & { body: Buffer }): Promise<DeliveryDetail> {
  const attempts = await readAttempts(db, row);
  const { text: body, base64: body_base64 } = readable(row.body);
  return {
    ...describeDelivery(row),
    body,
    body_base64,
    attempts: attempts.map((attempt) => describeAttempt(row, attempt)),
  };
}

const READ_TOGETHER_MAX = 100;

/** The deliveries of one conversation to all destinations, in the order of the lanes. */
export async function* readDeliveriesOf(
  db: Database,
  agentId: string,
  conversationId: string,
): AsyncGenerator<DeliveryDetail> {
  let after = { lane_id: FIRST_LANE, seq: 0 };
  for (;;) {
    const { rows } = await sql<DeliveryRow & { body: Buffer }>`
      select d.*, l.destination_id, l.conversation_id
      from lane l join delivery d on d.agent_id = l.agent_id and d.lane_id = l.id
      where l.agent_id = ${agentId} and l.conversation_id = ${conversationId}
        and (d.lane_id, d.seq) > (${after.lane_id}::uuid, ${after.seq})
      order by d.lane_id, d.seq limit ${READ_TOGETHER_MAX}`.execute(db);
    for (const row of rows) {
      yield await detailOf(db, row);
      after = row;
    }
    if (rows.length < READ_TOGETHER_MAX) return;
  }
}

const FIRST_LANE = "00000000-0000-0000-0000-000000000000";

export function noDelivery(): Refusal {
  return refuse(
    "notFound",
    "no delivery has this delivery_id; it may have passed its retention or been erased",
  );
}

export async function findDelivery(
  db: Database,
  deliveryId: string,
): Promise<(DeliveryRow & { body: Buffer }) | undefined> {
  const { rows } = await sql<DeliveryRow & { body: Buffer }>`
    select d.*, l.destination_id, l.conversation_id
    from delivery d join lane l on l.agent_id = d.agent_id and l.id = d.lane_id
    where d.id = ${deliveryId}`.execute(db);
  return rows[0];
}

/** An attempt begins after its delivery was accepted; a worker's clock is not asked. */
async function readAttempts(db: Database, { agent_id, id, created_at }: DeliveryRow) {
  return db
    .selectFrom("attempt")
    .selectAll()
    .where("agent_id", "=", agent_id)
    .where("delivery_id", "=", id)
    .where("started_at", ">=", new Date(created_at.getTime() - SLACK_MS))
    .orderBy("started_at")
    .orderBy("number")
    .execute();
}

/** `started_at` is counted back from the end by whole milliseconds. */
const SLACK_MS = 1_000;

type AttemptRow = Awaited<ReturnType<typeof readAttempts>>[number];

function describeAttempt(delivery: DeliveryRow, row: AttemptRow): DeliveryAttempt {
  // Safe because attempt-outcome.ts is the only source of causes, and its are the contract's.
  const cause = row.cause as Cause | null;
  const response = row.response_body === null ? NOTHING : readable(row.response_body);
  return {
    number: row.number,
    start_time: row.started_at.getTime(),
    duration_ms: row.duration_ms,
    timings: {
      dns_ms: row.dns_ms,
      connect_ms: row.connect_ms,
      tls_ms: row.tls_ms,
      first_byte_ms: row.first_byte_ms,
    },
    url: row.url,
    cause,
    cause_page: cause === null ? null : causePage(cause),
    http_status: row.http_status,
    // A plain acknowledgement is the one answer that is not kept.
    acknowledged: row.http_status === 200 ? row.response_body === null : null,
    request_headers: headersOf(delivery, row),
    response_body: response.text,
    response_body_base64: response.base64,
  };
}

function headersOf(delivery: DeliveryRow, row: AttemptRow): Record<string, string> | null {
  if (row.webhook_timestamp === null || row.webhook_signature === null) return null;
  const sent = { ...delivery, replayOf: delivery.replay_of, replaySeq: delivery.replay_seq };
  return redactedHeaders(
    webhookIdOf(sent),
    factsOf(sent, delivery.conversation_id, row.number, row.traceparent),
    {
      timestamp: row.webhook_timestamp,
      signature: row.webhook_signature,
      authorizationScheme: row.authorization_scheme ?? undefined,
    },
  );
}

const NOTHING = { text: null, base64: null };

/** Text, whatever the bytes; where they are no text, they are given as they are too. */
function readable(bytes: Buffer): { text: string; base64: string | null } {
  return { text: bytes.toString("utf8"), base64: isUtf8(bytes) ? null : bytes.toString("base64") };
}

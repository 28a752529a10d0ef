import { DELIVERY_PREVIEW_MAX_CHARACTERS, type DeliveryEvent } from "@signalbox/contract";
import { sql } from "kysely";
import type { Database } from "../../platform/index.ts";
import type { DeliveryRow } from "./delivery-filter.ts";

/** A longer body is not read for the sake of its first line. */
const BODY_MAX_BYTES = 65_536;

/** What each delivery of a page says, on one line, by the delivery's id; those that say nothing are left out. */
export async function readPreviews(db: Database, page: DeliveryRow[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; event: DeliveryEvent; body: Buffer }>`
    select d.id, d.event, d.body
    from unnest(${page.map(({ agent_id }) => agent_id)}::uuid[], ${page.map(({ created_at }) => created_at)}::timestamptz[],
      ${page.map(({ id }) => id)}::uuid[]) p(agent_id, created_at, id)
    join delivery d on d.agent_id = p.agent_id and d.created_at = p.created_at and d.id = p.id
    where octet_length(d.body) between 1 and ${BODY_MAX_BYTES}`.execute(db);
  return new Map(
    rows.flatMap(({ id, event, body }) => {
      const preview = previewOf(event, body);
      return preview === undefined ? [] : [[id, preview] as const];
    }),
  );
}

export function previewOf(event: DeliveryEvent, body: Buffer): string | undefined {
  const line = textOf(event, parse(body))?.replaceAll(/\s+/gu, " ").trim();
  if (line === undefined || line === "") return undefined;
  const characters = [...line];
  return characters.length <= DELIVERY_PREVIEW_MAX_CHARACTERS
    ? line
    : `${characters.slice(0, DELIVERY_PREVIEW_MAX_CHARACTERS - 1).join("")}…`;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Where each body has its words: 2.5 in its output, 4.6 and 4.7 in a field that is called body in both. */
function textOf(event: DeliveryEvent, body: unknown): string | undefined {
  switch (event) {
    case "message":
      return listOf(field(body, "output"))
        .map((item) => field(field(item, "content"), "text"))
        .filter((text) => typeof text === "string")
        .join(" ");
    case "handoff_requested":
    case "message_left":
      return stringOf(field(listOf(field(body, "body")).at(-1), "text"));
    case "user_message":
      return stringOf(field(body, "body"));
    case "handoff_closed":
    case "operator_event":
      return undefined;
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

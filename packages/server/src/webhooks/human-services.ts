import {
  ACKNOWLEDGED,
  HumanServiceRuleRequest,
  type Acknowledged,
  type HumanService,
  type HumanServicePage,
  type InputOf,
  type RotatedSigningSecret,
} from "@signalbox/contract";
import { sql } from "kysely";
import {
  pageOfRows,
  pageStart,
  requireLiveAgent,
  writeAsOperator,
  type OperatorParts,
} from "../agents/index.ts";
import {
  audit,
  newId,
  Refusal,
  refuse,
  unlessRefused,
  type Database,
  type OperatorCaller,
} from "../platform/index.ts";
import { refusePlainHttp } from "./https-only.ts";
import { rotateSigningSecret } from "./rotate-signing-secret.ts";
import { changeCredentials, newSigningSecret, sealSecret, showSigningSecret } from "./secrets.ts";
import type { EndpointParts } from "./webhook-settings.ts";

/** A human service component: one developer's address for 4.6 to 4.8, with its own credentials. */
export async function createHumanService(
  parts: EndpointParts,
  caller: OperatorCaller,
  {
    agent_id,
    name,
    url,
    username,
    secret,
    allow_unauthenticated_replies,
    rule,
    business_hours,
    establish_timeout_seconds,
    establish_tries,
    first_reply,
  }: InputOf<"createHumanService">,
): Promise<HumanService | Refusal> {
  const refusal = refusePlainHttp(url, parts.httpsOnly);
  if (refusal !== undefined) return refusal;
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    const identity = { agentId: agent_id, webhookId: newId() };
    const credentials = changeCredentials(parts.sealer, identity, undefined, { url, username, secret });
    if (credentials instanceof Refusal) return credentials;
    const signingSecret = newSigningSecret();
    const row = await db
      .insertInto("webhook")
      .values({
        ...credentials,
        id: identity.webhookId,
        agent_id,
        kind: "human_service",
        name,
        url,
        allow_unauthenticated_replies,
        rule: JSON.stringify(rule ?? {}),
        business_hours: jsonOrNull(business_hours),
        establish_timeout_ms: establish_timeout_seconds * 1000,
        establish_tries,
        first_reply: jsonOrNull(first_reply),
        signing_secret_sealed: sealSecret(parts.sealer, identity, "signing_secret_sealed", signingSecret),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await auditComponent(db, caller, "human_service.create", row);
    const reply = { ...describe(row), signing_secret: signingSecret };
    return showSigningSecret(`the human service ${row.id}`, reply);
  });
}

export async function listHumanServices(
  { db }: OperatorParts,
  { agent_id, cursor, limit }: InputOf<"listHumanServices">,
): Promise<HumanServicePage | Refusal> {
  const start = pageStart(cursor);
  if (start instanceof Refusal) return start;
  const rows = await componentsOf(db, agent_id)
    .where("id", "<", start)
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  return pageOfRows(rows, limit, describe);
}

export async function updateHumanService(
  parts: EndpointParts,
  caller: OperatorCaller,
  {
    agent_id,
    component_id,
    name,
    url,
    username,
    secret,
    allow_unauthenticated_replies,
    rule,
    business_hours,
    establish_timeout_seconds,
    establish_tries,
    first_reply,
  }: InputOf<"updateHumanService">,
): Promise<HumanService | Refusal> {
  const refusal = refusePlainHttp(url, parts.httpsOnly);
  if (refusal !== undefined) return refusal;
  const change = writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    const stored = await lockComponent(db, agent_id, component_id);
    if (stored === undefined) return noComponent();
    if (stored.inbox_assignment !== null && [url, username, secret].some((given) => given !== undefined))
      return refuse(
        "stateConflict",
        "this component is the inbox; its url and credentials cannot be changed",
      );
    const identity = { agentId: agent_id, webhookId: component_id };
    const credentials = changeCredentials(parts.sealer, identity, stored, {
      url: url ?? stored.url,
      username,
      secret,
    });
    if (credentials instanceof Refusal) return credentials;
    const row = await db
      .updateTable("webhook")
      .set({
        ...credentials,
        name: name ?? stored.name,
        url: url ?? stored.url,
        allow_unauthenticated_replies: allow_unauthenticated_replies ?? stored.allow_unauthenticated_replies,
        ...(rule === undefined ? {} : { rule: JSON.stringify(rule) }),
        ...(business_hours === undefined ? {} : { business_hours: jsonOrNull(business_hours) }),
        ...(establish_timeout_seconds === undefined
          ? {}
          : { establish_timeout_ms: establish_timeout_seconds * 1000 }),
        ...(establish_tries === undefined ? {} : { establish_tries }),
        ...(first_reply === undefined ? {} : { first_reply: jsonOrNull(first_reply) }),
        updated_at: sql`now()`,
      })
      .where("id", "=", component_id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await auditComponent(db, caller, "human_service.update", row);
    return describe(row);
  });
  return unlessRefused(change, () => parts.onChanged(agent_id));
}

export function rotateHumanServiceSecret(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, component_id, overlap_seconds }: InputOf<"rotateHumanServiceSecret">,
): Promise<RotatedSigningSecret | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    const row = await lockComponent(db, agent_id, component_id);
    return row === undefined ? noComponent() : rotateSigningSecret(db, parts, caller, row, overlap_seconds);
  });
}

export function deleteHumanService(
  parts: EndpointParts,
  caller: OperatorCaller,
  { agent_id, component_id }: InputOf<"deleteHumanService">,
): Promise<Acknowledged | Refusal> {
  const change = writeAsOperator(parts, caller, async (db) => {
    const row = await lockComponent(db, agent_id, component_id);
    if (row === undefined) return noComponent();
    await db
      .updateTable("webhook")
      .set({ deleted_at: sql`now()` })
      .where("id", "=", row.id)
      .execute();
    await auditComponent(db, caller, "human_service.delete", row);
    return ACKNOWLEDGED;
  });
  return unlessRefused(change, () => parts.onDeleted(agent_id));
}

function componentsOf(db: Database, agentId: string) {
  return db
    .selectFrom("webhook")
    .selectAll()
    .where("agent_id", "=", agentId)
    .where("kind", "=", "human_service")
    .where("deleted_at", "is", null);
}

function lockComponent(db: Database, agentId: string, componentId: string) {
  return componentsOf(db, agentId).where("id", "=", componentId).forUpdate().executeTakeFirst();
}

type ComponentRow = NonNullable<Awaited<ReturnType<typeof lockComponent>>>;

function auditComponent(
  db: Database,
  caller: OperatorCaller,
  action: string,
  row: ComponentRow,
): Promise<void> {
  return audit(db, caller, {
    action,
    agentId: row.agent_id,
    subjectId: row.id,
    detail: {
      name: row.name,
      url: row.url,
      username_set: row.username_sealed !== null,
      secret_set: row.secret_sealed !== null,
      allow_unauthenticated_replies: row.allow_unauthenticated_replies,
      rule: row.rule,
      business_hours: row.business_hours,
      establish_timeout_ms: row.establish_timeout_ms,
      establish_tries: row.establish_tries,
      first_reply: row.first_reply,
    },
  });
}

export function jsonOrNull(value: object | null | undefined): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

function noComponent(): Refusal {
  return refuse("notFound", "this agent has no human service component with this component_id");
}

function describe(row: ComponentRow): HumanService {
  return {
    component_id: row.id,
    kind: row.inbox_assignment === null ? "webhook" : "inbox",
    name: row.name ?? "",
    url: row.url,
    username_set: row.username_sealed !== null,
    secret_set: row.secret_sealed !== null,
    allow_unauthenticated_replies: row.allow_unauthenticated_replies,
    rule: HumanServiceRuleRequest.parse(row.rule),
    business_hours: row.business_hours as HumanService["business_hours"],
    establish_timeout_seconds: row.establish_timeout_ms / 1000,
    establish_tries: row.establish_tries,
    first_reply: row.first_reply as HumanService["first_reply"],
    create_time: row.created_at.getTime(),
    update_time: row.updated_at.getTime(),
  };
}

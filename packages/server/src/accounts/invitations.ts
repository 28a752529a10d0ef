import { createHash } from "node:crypto";
import {
  ACKNOWLEDGED,
  type Acknowledged,
  type CreatedInvitation,
  type InputOf,
  type InvitationPage,
  type Role,
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
  randomText,
  Refusal,
  refuse,
  ShownOnce,
  type Database,
  type OperatorCaller,
} from "../platform/index.ts";
import { shownAgent, storedAgent } from "./roles.ts";

const DAY_MS = 86_400_000;
const VALID_DAYS = 7;

export function hashInvitation(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Behind #, so that no server and no Referer ever sees it. */
function invitationPath(token: string): string {
  return `/console/join#${token}`;
}

export function createInvitation(
  parts: OperatorParts,
  caller: OperatorCaller,
  { email, role, agent_id, expire_time }: InputOf<"createInvitation">,
): Promise<CreatedInvitation | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const missing = typeof agent_id === "string" ? await requireLiveAgent(db, agent_id) : undefined;
    if (missing !== undefined) return missing;
    const expiresAt = new Date(expire_time ?? Date.now() + VALID_DAYS * DAY_MS);
    const agentId = storedAgent(agent_id);
    const { token, row } = await insertInvitation(db, { email: email ?? null, role, agentId, expiresAt });
    const detail = { role };
    await audit(db, caller, { action: "account_invitation.create", agentId, subjectId: row.id, detail });
    return new ShownOnce(
      { ...describe(row), invitation_token: token, path: invitationPath(token) },
      `the invitation ${row.id} was created and its token is shown once, in the first answer to this Idempotency-Key; if that answer was lost, withdraw this invitation and create another under a new Idempotency-Key`,
    );
  });
}

/** For the first account, while there is none; undefined once there is. Each is worth nothing from then on. */
export async function inviteFirstOwner(db: Database): Promise<string | undefined> {
  if (await hasAccounts(db)) return undefined;
  const expiresAt = new Date(Date.now() + DAY_MS);
  const first = { email: null, role: "owner" as const, agentId: storedAgent(null), expiresAt, isFirst: true };
  const { token } = await insertInvitation(db, first);
  return invitationPath(token);
}

export async function hasAccounts(db: Database): Promise<boolean> {
  const found = await db.selectFrom("account").select("id").limit(1).executeTakeFirst();
  return found !== undefined;
}

async function insertInvitation(
  db: Database,
  invitation: { email: string | null; role: Role; agentId: string; expiresAt: Date; isFirst?: boolean },
) {
  const token = `sbi_${randomText(40)}`;
  const row = await db
    .insertInto("account_invitation")
    .values({
      id: newId(),
      token_hash: hashInvitation(token),
      email: invitation.email,
      role: invitation.role,
      agent_id: invitation.agentId,
      expires_at: invitation.expiresAt,
      is_first: invitation.isFirst ?? false,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { token, row };
}

type InvitationRow = Awaited<ReturnType<typeof insertInvitation>>["row"];

function describe(row: InvitationRow) {
  return {
    invitation_id: row.id,
    email: row.email,
    role: row.role as Role,
    agent_id: shownAgent(row.agent_id),
    create_time: row.created_at.getTime(),
    expire_time: row.expires_at.getTime(),
  };
}

export async function listInvitations(
  { db }: { db: Database },
  { agent_id, cursor, limit }: InputOf<"listInvitations">,
): Promise<InvitationPage | Refusal> {
  const start = pageStart(cursor);
  if (start instanceof Refusal) return start;
  const rows = await db
    .selectFrom("account_invitation")
    .selectAll()
    .where("id", "<", start)
    .where("is_first", "=", false)
    .$if(agent_id !== undefined, (query) => query.where("agent_id", "=", agent_id ?? ""))
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  return pageOfRows(rows, limit, (row) => ({ ...describe(row), state: stateOf(row) }));
}

function stateOf(row: InvitationRow): InvitationPage["list"][number]["state"] {
  if (row.accepted_at !== null) return "accepted";
  if (row.revoked_at !== null) return "withdrawn";
  return row.expires_at <= new Date() ? "expired" : "open";
}

/** Undefined where it is for the installation. */
export async function agentOfInvitation(db: Database, invitationId: string): Promise<string | undefined> {
  const found = await db
    .selectFrom("account_invitation")
    .select("agent_id")
    .where("id", "=", invitationId)
    .executeTakeFirst();
  return found === undefined ? undefined : (shownAgent(found.agent_id) ?? undefined);
}

/** Withdrawing one that is used or withdrawn is no mistake; the account it made stays. */
export function revokeInvitation(
  parts: OperatorParts,
  caller: OperatorCaller,
  { invitation_id }: InputOf<"revokeInvitation">,
): Promise<Acknowledged | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const row = await db
      .updateTable("account_invitation")
      .set({ revoked_at: sql`coalesce(revoked_at, now())` })
      .where("id", "=", invitation_id)
      .returning("agent_id")
      .executeTakeFirst();
    if (row === undefined) return refuse("notFound", "there is no invitation with this invitation_id");
    const change = { action: "account_invitation.revoke", agentId: row.agent_id, subjectId: invitation_id };
    await audit(db, caller, { ...change, detail: {} });
    return ACKNOWLEDGED;
  });
}

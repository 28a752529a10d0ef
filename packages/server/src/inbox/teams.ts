import {
  ACKNOWLEDGED,
  type Acknowledged,
  type InboxTeam,
  type InboxTeamList,
  type InputOf,
} from "@signalbox/contract";
import { sql } from "kysely";
import { requireAgent, requireLiveAgent, writeAsOperator } from "../agents/index.ts";
import { audit, newId, refuse, Refusal, type Database, type OperatorCaller } from "../platform/index.ts";
import { offerAgain } from "./offer-again.ts";
import { IS_AVAILABLE } from "./offer-talks.ts";
import type { Answerer, TalkParts } from "./take-talk.ts";

const TEAMS_MAX = 100;

interface TeamRow {
  id: string;
  name: string;
  created_at: Date;
  updated_at: Date;
  account_ids: string[];
  available_ids: string[];
  waiting: number;
}

export async function listInboxTeams(
  { db, readAnswerers }: Pick<TalkParts, "db" | "readAnswerers">,
  { agent_id }: InputOf<"listInboxTeams">,
): Promise<InboxTeamList | Refusal> {
  const missing = await requireAgent(db, agent_id);
  if (missing !== undefined) return missing;
  const people = await readAnswerers(db, agent_id);
  const rows = await readTeams(db, agent_id);
  return { list: rows.map((row) => describe(row, people)) };
}

export function createInboxTeam(
  parts: TalkParts,
  caller: OperatorCaller,
  { agent_id, name, account_ids }: InputOf<"createInboxTeam">,
): Promise<InboxTeam | Refusal> {
  const team = { agentId: agent_id, teamId: newId(), name, accountIds: account_ids };
  return save(parts, caller, team, "inbox_team.create");
}

export function updateInboxTeam(
  parts: TalkParts,
  caller: OperatorCaller,
  { agent_id, team_id, name, account_ids }: InputOf<"updateInboxTeam">,
): Promise<InboxTeam | Refusal> {
  const team = { agentId: agent_id, teamId: team_id, name, accountIds: account_ids };
  return save(parts, caller, team, "inbox_team.update");
}

interface SavedTeam {
  agentId: string;
  teamId: string;
  name: string;
  accountIds: readonly string[];
}

/** Changes come one after another, by the agent's lock. Chats that wait are then offered as the new members say. */
async function save(
  parts: TalkParts,
  caller: OperatorCaller,
  { agentId, teamId, name, accountIds }: SavedTeam,
  action: "inbox_team.create" | "inbox_team.update",
): Promise<InboxTeam | Refusal> {
  const saved = await writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agentId);
    if (missing !== undefined) return missing;
    const teams = await readTeams(db, agentId);
    if (action === "inbox_team.update" && !teams.some(({ id }) => id === teamId)) return noTeam();
    if (action === "inbox_team.create" && teams.length >= TEAMS_MAX)
      return refuse("stateConflict", `an inbox has at most ${TEAMS_MAX} teams; delete one first`);
    const people = await parts.readAnswerers(db, agentId);
    if (accountIds.some((id) => !people.some(({ accountId }) => accountId === id)))
      return refuse("badParameter", "account_ids names an account that may not answer for this agent");
    const { rows: same } = await sql`select from inbox_team
      where agent_id = ${agentId} and lower(name) = lower(${name}) and id <> ${teamId}`.execute(db);
    if (same.length > 0) return refuse("stateConflict", `this inbox already has a team named ${name}`);
    await sql`insert into inbox_team (agent_id, id, name) values (${agentId}, ${teamId}, ${name})
      on conflict (agent_id, id) do update set name = excluded.name, updated_at = now()`.execute(db);
    await sql`delete from inbox_team_member where agent_id = ${agentId} and team_id = ${teamId}`.execute(db);
    await sql`insert into inbox_team_member (agent_id, team_id, account_id)
      select distinct ${agentId}::uuid, ${teamId}::uuid, id from unnest(${[...accountIds]}::uuid[]) id`.execute(
      db,
    );
    const detail = { name, account_ids: accountIds };
    await audit(db, caller, { action, agentId, subjectId: teamId, detail });
    const row = (await readTeams(db, agentId)).find(({ id }) => id === teamId);
    return row === undefined ? noTeam() : describe(row, people);
  });
  if (!(saved instanceof Refusal)) await offerAgain(parts, agentId);
  return saved;
}

/** Its chats wait for everybody from then on. */
export async function deleteInboxTeam(
  parts: TalkParts,
  caller: OperatorCaller,
  { agent_id: agentId, team_id: teamId }: InputOf<"deleteInboxTeam">,
): Promise<Acknowledged | Refusal> {
  const deleted = await writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agentId);
    if (missing !== undefined) return missing;
    // First: a transfer to the team holds its row until the chat is there.
    const { rows } = await sql<{ name: string }>`
      delete from inbox_team where agent_id = ${agentId} and id = ${teamId} returning name`.execute(db);
    const [team] = rows;
    if (team === undefined) return noTeam();
    await sql`delete from inbox_team_member where agent_id = ${agentId} and team_id = ${teamId}`.execute(db);
    await sql`update inbox_talk set team_id = null, changed_at = now()
      where agent_id = ${agentId} and team_id = ${teamId} and state <> 'closed'`.execute(db);
    const detail = { name: team.name };
    await audit(db, caller, { action: "inbox_team.delete", agentId, subjectId: teamId, detail });
    return ACKNOWLEDGED;
  });
  if (!(deleted instanceof Refusal)) await offerAgain(parts, agentId);
  return deleted;
}

async function readTeams(db: Database, agentId: string): Promise<TeamRow[]> {
  const { rows } = await sql<TeamRow>`
    select t.id, t.name, t.created_at, t.updated_at,
      array(select m.account_id from inbox_team_member m where m.agent_id = t.agent_id and m.team_id = t.id) as account_ids,
      array(select m.account_id from inbox_team_member m
        join inbox_presence p on p.agent_id = m.agent_id and p.account_id = m.account_id and ${IS_AVAILABLE}
        where m.agent_id = t.agent_id and m.team_id = t.id) as available_ids,
      (select count(*)::integer from inbox_talk w
        where w.agent_id = t.agent_id and w.team_id = t.id and w.state = 'waiting') as waiting
    from inbox_team t where t.agent_id = ${agentId} order by lower(t.name), t.id`.execute(db);
  return rows;
}

function describe(row: TeamRow, people: readonly Answerer[]): InboxTeam {
  const members = people.filter(({ accountId }) => row.account_ids.includes(accountId));
  return {
    team_id: row.id,
    name: row.name,
    members: members.map(({ accountId, name }) => ({ account_id: accountId, name })),
    available_count: members.filter(({ accountId }) => row.available_ids.includes(accountId)).length,
    waiting_count: row.waiting,
    create_time: row.created_at.getTime(),
    update_time: row.updated_at.getTime(),
  };
}

function noTeam(): Refusal {
  return refuse("notFound", "this agent's inbox has no team with this team_id");
}

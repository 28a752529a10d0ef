import { PRESENCE_SECONDS, type InboxAssignment } from "@signalbox/contract";
import { sql } from "kysely";
import type { Database } from "../platform/index.ts";

export interface OfferParts {
  /** The accounts that may answer for an agent. */
  readAnswerers: (db: Database, agentId: string) => Promise<{ accountId: string }[]>;
}

export interface AvailablePerson {
  accountId: string;
  /** Milliseconds since 1970; 0: never. */
  offeredAt: number;
  /** Open chats that the person holds, or is offered. */
  load: number;
  teamIds: readonly string[];
}

/** Members of the chat's team, while one of them is available. While none is, everybody: no user waits for who is not there. */
export function candidatesFor(
  people: readonly AvailablePerson[],
  teamId: string | null,
): readonly AvailablePerson[] {
  const members = people.filter(({ teamIds }) => teamId !== null && teamIds.includes(teamId));
  return members.length === 0 ? people : members;
}

/** By load, the person with the fewest chats comes first; otherwise the one who was offered a chat longest ago. */
export function nextPerson(
  people: readonly AvailablePerson[],
  assignment: InboxAssignment,
): AvailablePerson | undefined {
  if (assignment === "manual") return undefined;
  const [first] = people.toSorted(
    (a, b) => (assignment === "load" ? a.load - b.load : 0) || a.offeredAt - b.offeredAt,
  );
  return first;
}

export const IS_AVAILABLE = sql<boolean>`(p.presence = 'available' and p.set_at > now() - ${PRESENCE_SECONDS} * interval '1 second')`;
const TALKS_MAX = 500;

/**
 * Offers waiting chats to people who are there, by the agent's assignment. A chat offered to somebody who has left returns to
 * the queue. Returns the chats that changed. One run at a time for an agent: two would offer a chat each to one person.
 */
export async function offerTalks(
  db: Database,
  { readAnswerers }: OfferParts,
  agentId: string,
): Promise<string[]> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`inbox ${agentId}`}, 0))`.execute(db);
  const assignment = await readAssignment(db, agentId);
  const people = assignment === "manual" ? [] : await readAvailable(db, { readAnswerers }, agentId);
  const talks = await readUnoffered(db, agentId, people);
  const changed: string[] = [];
  for (const { id, offered_to, team_id } of talks) {
    const person = nextPerson(candidatesFor(people, team_id), assignment);
    if (person === undefined && offered_to === null) continue;
    changed.push(id);
    await sql`update inbox_talk set offered_to = ${person?.accountId ?? null}, changed_at = now()
      where agent_id = ${agentId} and id = ${id}`.execute(db);
    if (person === undefined) continue;
    person.load += 1;
    person.offeredAt = Math.max(Date.now(), ...people.map(({ offeredAt }) => offeredAt + 1));
    await sql`update inbox_presence set offered_at = ${new Date(person.offeredAt)}
      where agent_id = ${agentId} and account_id = ${person.accountId}`.execute(db);
  }
  return changed;
}

async function readAssignment(db: Database, agentId: string): Promise<InboxAssignment> {
  const { rows } = await sql<{ inbox_assignment: InboxAssignment }>`
    select inbox_assignment from webhook
    where agent_id = ${agentId} and inbox_assignment is not null and deleted_at is null`.execute(db);
  return rows[0]?.inbox_assignment ?? "manual";
}

async function readAvailable(
  db: Database,
  { readAnswerers }: OfferParts,
  agentId: string,
): Promise<AvailablePerson[]> {
  const answerers = new Set((await readAnswerers(db, agentId)).map(({ accountId }) => accountId));
  const { rows } = await sql<{
    account_id: string;
    offered_at: Date | null;
    load: number;
    team_ids: string[];
  }>`
    select p.account_id, p.offered_at, array(select m.team_id from inbox_team_member m
      where m.agent_id = p.agent_id and m.account_id = p.account_id) as team_ids, (select count(*)::integer from inbox_talk t
      where t.agent_id = p.agent_id and t.state <> 'closed' and (t.offered_to = p.account_id
        or (t.state = 'taken' and t.holder = 'account' and t.holder_id = p.account_id))) as load
    from inbox_presence p where p.agent_id = ${agentId} and ${IS_AVAILABLE}`.execute(db);
  return rows
    .filter(({ account_id }) => answerers.has(account_id))
    .map(({ account_id, offered_at, load, team_ids }) => ({
      accountId: account_id,
      offeredAt: offered_at?.getTime() ?? 0,
      load,
      teamIds: team_ids,
    }));
}

interface UnofferedTalk {
  id: string;
  offered_to: string | null;
  team_id: string | null;
}

async function readUnoffered(
  db: Database,
  agentId: string,
  people: AvailablePerson[],
): Promise<UnofferedTalk[]> {
  const present = people.map(({ accountId }) => accountId);
  // With nobody to offer them to, a long queue is neither read nor locked: only what was offered goes back.
  const isUnoffered =
    people.length === 0
      ? sql`offered_to is not null`
      : sql`(offered_to is null or offered_to <> all(${present}::uuid[]))`;
  const { rows } = await sql<UnofferedTalk>`
    select id, offered_to, team_id from inbox_talk
    where agent_id = ${agentId} and state = 'waiting' and ${isUnoffered}
    order by requested_at, id limit ${TALKS_MAX} for update skip locked`.execute(db);
  return rows;
}

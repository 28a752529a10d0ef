import { ACKNOWLEDGED, type InputOf, type Talk } from "@signalbox/contract";
import { sql } from "kysely";
import { writeAsOperator } from "../agents/index.ts";
import {
  audit,
  refuse,
  Refusal,
  type Broadcast,
  type Database,
  type Operator,
  type OperatorCaller,
  type Sealer,
} from "../platform/index.ts";
import { announceTalk } from "./announce-talk.ts";
import { offerAgain } from "./offer-again.ts";
import { personOf } from "./person.ts";
import { isHeldBy, lockTalk, noTalk, refuseHeld, refuseOver, showTalk } from "./talk-row.ts";
import { holdTeam } from "./team-row.ts";

export interface TalkParts {
  db: Database;
  sealer: Sealer;
  broadcast: Pick<Broadcast, "tell">;
  readAnswerers: (db: Database, agentId: string) => Promise<Answerer[]>;
}

/** An account that may answer for an agent. */
export interface Answerer {
  accountId: string;
  name: string;
  email: string;
}

type TalkName = { agent_id: string; talk_id: string };

/** Under the row's lock: only one of several who try at once finds it waiting. Its holder still holds it. */
export async function takeTalk(
  parts: TalkParts,
  caller: OperatorCaller,
  path: InputOf<"takeTalk">,
): Promise<Talk | Refusal> {
  // Remembered without the chat itself, which speaks of a user.
  const taken = await writeAsOperator(parts, caller, async (db) => {
    const talk = await lockTalk(db, path);
    if (talk === undefined) return noTalk();
    if (talk.state === "closed" || talk.is_over) return refuseOver();
    if (talk.state === "waiting") await holdTalk(db, caller, path);
    else if (!isHeldBy(talk, caller)) return refuseHeld(talk);
    return ACKNOWLEDGED;
  });
  return taken instanceof Refusal ? taken : shown(parts, caller, path);
}

/** The caller holds the row's lock, and nobody holds the chat. */
export async function holdTalk(db: Database, caller: OperatorCaller, path: TalkName): Promise<void> {
  const { actor, actorId } = caller;
  await setHolder(db, path, { actor, actorId, actorName: personOf(caller).name });
  await auditTalk(db, caller, path, "inbox.take", {});
}

async function setHolder(
  db: Database,
  { agent_id, talk_id }: TalkName,
  { actor, actorId, actorName }: Pick<Operator, "actor" | "actorId" | "actorName">,
): Promise<void> {
  await sql`update inbox_talk set state = 'taken', holder = ${actor}, holder_id = ${actorId}, holder_name = ${actorName},
      offered_to = null, taken_at = now(), changed_at = now()
    where agent_id = ${agent_id} and id = ${talk_id}`.execute(db);
}

/** By anybody, also of a chat that somebody holds who has gone home. The audit names both. */
export async function transferTalk(
  parts: TalkParts,
  caller: OperatorCaller,
  { account_id: given, team_id: team, ...path }: InputOf<"transferTalk">,
): Promise<Talk | Refusal> {
  const { agent_id, talk_id } = path;
  const [account_id, team_id] = [given ?? null, team ?? null];
  const moved = await writeAsOperator(parts, caller, async (db) => {
    // The team before the chat, as its deletion takes them.
    const missing = team_id === null ? undefined : await holdTeam(db, { agentId: agent_id, teamId: team_id });
    if (missing !== undefined) return missing;
    const talk = await lockTalk(db, path);
    if (talk === undefined) return noTalk();
    if (talk.state === "closed" || talk.is_over) return refuseOver();
    if (account_id === null) {
      await sql`update inbox_talk set state = 'waiting', holder = null, holder_id = null, holder_name = null,
          offered_to = null, team_id = ${team_id}, taken_at = null, changed_at = now()
        where agent_id = ${agent_id} and id = ${talk_id}`.execute(db);
    } else {
      const people = await parts.readAnswerers(db, agent_id);
      const person = people.find(({ accountId }) => accountId === account_id);
      if (person === undefined)
        return refuse("badParameter", "account_id is not an account that may answer for this agent");
      await setHolder(db, path, { actor: "account", actorId: account_id, actorName: person.name });
      await leaveTeam(db, path, account_id);
    }
    await auditTalk(db, caller, path, "inbox.transfer", {
      from_account_id: talk.holder === "account" ? talk.holder_id : null,
      to_account_id: account_id,
      ...(team_id !== null && { to_team_id: team_id }),
    });
    return ACKNOWLEDGED;
  });
  if (moved instanceof Refusal) return moved;
  if (account_id === null) await offerAgain(parts, agent_id);
  return shown(parts, caller, path);
}

/** A chat goes on to somebody outside its team, and from then on is of no team. */
async function leaveTeam(db: Database, { agent_id, talk_id }: TalkName, accountId: string): Promise<void> {
  await sql`update inbox_talk t set team_id = null where t.agent_id = ${agent_id} and t.id = ${talk_id}
    and not exists (select from inbox_team_member m
      where m.agent_id = t.agent_id and m.team_id = t.team_id and m.account_id = ${accountId})`.execute(db);
}

export function shown(parts: TalkParts, caller: OperatorCaller, path: TalkName): Promise<Talk | Refusal> {
  announceTalk(parts, { agentId: path.agent_id, talkId: path.talk_id });
  return showTalk(parts.db, caller, path);
}

export function auditTalk(
  db: Database,
  caller: OperatorCaller,
  { agent_id, talk_id }: TalkName,
  action: string,
  detail: Record<string, unknown>,
): Promise<void> {
  return audit(db, caller, { action, agentId: agent_id, subjectId: talk_id, detail });
}

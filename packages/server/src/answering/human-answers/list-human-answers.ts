import {
  ANSWER_MAX_CHARACTERS,
  QUESTION_MAX_CHARACTERS,
  type HumanAnswer,
  type HumanAnswerPage,
  type InputOf,
} from "@signalbox/contract";
import { sql } from "kysely";
import { auditRead } from "../../agents/index.ts";
import { refuse, type Database, type OperatorCaller, type Refusal } from "../../platform/index.ts";
import { maskPersonalData } from "./mask-personal-data.ts";
import { readExchanges, type SpokenMessage } from "./read-exchanges.ts";

export interface HumanAnswerParts {
  db: Database;
  asksForPerson: (text: string) => boolean;
}

const HANDOFFS_TOGETHER = 50;
/** Nobody waits for more than this; the next page goes on. */
const HANDOFFS_MAX = 500;
const MESSAGES_MAX = 200;
const OFFERED_DAYS = 90;
const CURSOR = /^(\d{1,15})_([0-9a-f-]{36})$/;
const LAST = "9999999999999_ffffffff-ffff-ffff-ffff-ffffffffffff";

/**
 * What humans answered in handoffs that have ended, newest first. It is read from the messages when somebody looks: nothing of
 * it is stored elsewhere, so that what is erased there is gone here.
 */
export async function listHumanAnswers(
  { db, asksForPerson }: HumanAnswerParts,
  caller: OperatorCaller,
  { agent_id: agentId, cursor, limit }: InputOf<"listHumanAnswers">,
): Promise<HumanAnswerPage | Refusal> {
  let next: string | null = cursor ?? LAST;
  if (!CURSOR.test(next))
    return refuse("badParameter", "cursor must be the next_cursor of an earlier page of this list");
  const list: HumanAnswer[] = [];
  for (let read = 0; next !== null && list.length < limit && read < HANDOFFS_MAX; read += HANDOFFS_TOGETHER) {
    const handoffs: EndedHandoff[] = await endedHandoffs(db, agentId, next);
    next = null;
    for (const [at, handoff] of handoffs.entries()) {
      list.push(...(await offersOf(db, agentId, handoff, asksForPerson)));
      const isMore = at + 1 < handoffs.length || handoffs.length === HANDOFFS_TOGETHER;
      next = isMore ? `${handoff.requested_at.getTime()}_${handoff.id}` : null;
      if (list.length >= limit) break;
    }
  }
  const action = "human_answers.read";
  return auditRead({ db }, caller, { action, agentId, subjectId: agentId }, { list, next_cursor: next });
}

interface EndedHandoff {
  id: string;
  conversation_id: string;
  requested_at: Date;
  ended_at: Date;
}

async function endedHandoffs(db: Database, agentId: string, before: string): Promise<EndedHandoff[]> {
  const [, at, id] = CURSOR.exec(before) ?? [];
  const { rows } = await sql<EndedHandoff>`
    select id, conversation_id, requested_at, ended_at from handoff
    where agent_id = ${agentId} and ended_at is not null and first_reply_at is not null
      and requested_at > now() - ${OFFERED_DAYS} * interval '1 day'
      and (requested_at, id) < (${new Date(Number(at))}, ${id}::uuid)
    order by requested_at desc, id desc limit ${HANDOFFS_TOGETHER}`.execute(db);
  return rows;
}

/** From a while before the handoff, where the question mostly is. */
async function offersOf(
  db: Database,
  agentId: string,
  { id: handoffId, conversation_id: conversationId, requested_at, ended_at }: EndedHandoff,
  asksForPerson: (text: string) => boolean,
): Promise<HumanAnswer[]> {
  const { rows } = await sql<SpokenMessage>`
    select m.id, m.sender, m.text, m.created_at as at from message m
    where m.agent_id = ${agentId} and m.conversation_id = ${conversationId} and m.sender in ('user', 'human')
      and m.text <> ''
      and m.created_at between ${requested_at}::timestamptz - interval '30 minutes' and ${ended_at}
    order by m.seq limit ${MESSAGES_MAX}`.execute(db);
  const exchanges = readExchanges(rows, asksForPerson).filter(({ at }) => at >= requested_at);
  const decided = await decidedOf(
    db,
    agentId,
    exchanges.map(({ id }) => id),
  );
  return exchanges
    .filter(({ id }) => !decided.has(id))
    .map(({ id, question, answer, at }) => ({
      answer_id: id,
      conversation_id: conversationId,
      handoff_id: handoffId,
      question: shortened(maskPersonalData(question), QUESTION_MAX_CHARACTERS),
      answer: shortened(maskPersonalData(answer), ANSWER_MAX_CHARACTERS),
      time: at.getTime(),
    }));
}

async function decidedOf(db: Database, agentId: string, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom("human_answer_decision")
    .select("message_id")
    .where("agent_id", "=", agentId)
    .where("message_id", "in", ids)
    .execute();
  return new Set(rows.map(({ message_id }) => message_id));
}

function shortened(text: string, charactersMax: number): string {
  return [...text].slice(0, charactersMax).join("");
}

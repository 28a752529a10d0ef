import type { Said } from "../answering/index.ts";
import type { Database } from "../platform/index.ts";
import type { DueMessage, Turn } from "./turn-store.ts";

const MESSAGES_MAX = 12;
const SPEAKERS: Readonly<Record<string, Said["who"]>> = { user: "user", ai: "agent", human: "person" };

/**
 * What was said lately before one message of the user, oldest first; what the user wrote after it is not part of it. What its
 * caller gave as history comes last, once: a client may send the whole conversation with each message.
 */
export async function recallLately(
  db: Database,
  { agentId, conversationId }: Pick<Turn, "agentId" | "conversationId">,
  { seq, answerWith }: DueMessage,
): Promise<Said[]> {
  const given = answerWith?.history ?? [];
  if (answerWith?.memory === false || isFirst(seq)) return given;
  const rows = await db
    .selectFrom("message")
    .select(["sender", "text"])
    .where("agent_id", "=", agentId)
    .where("conversation_id", "=", conversationId)
    .where("sender", "in", Object.keys(SPEAKERS))
    .where((where) => where.or([where("seq", "<", seq), where("sender", "<>", "user")]))
    .orderBy("seq", "desc")
    .limit(MESSAGES_MAX)
    .execute();
  const repeated = new Set(given.map(({ text }) => text));
  const kept = rows.reverse().flatMap(({ sender, text }) => {
    const who = SPEAKERS[sender];
    return who === undefined || text === "" || repeated.has(text) ? [] : [{ who, text }];
  });
  return [...kept, ...given].slice(-MESSAGES_MAX);
}

/** The questions offered with the last reply before this message; none where that reply offered none. */
export async function recallOffer(
  db: Database,
  { agentId, conversationId }: Pick<Turn, "agentId" | "conversationId">,
  { seq }: DueMessage,
): Promise<string[]> {
  if (isFirst(seq)) return [];
  const row = await db
    .selectFrom("message")
    .select("suggestions")
    .where("agent_id", "=", agentId)
    .where("conversation_id", "=", conversationId)
    .where("sender", "<>", "user")
    .where("seq", "<", seq)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.suggestions ?? [];
}

/** Nothing was said before it: nobody asks PostgreSQL while its caller waits. */
function isFirst(seq: number): boolean {
  return seq <= 1;
}

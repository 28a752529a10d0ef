import type { Said } from "../answering/index.ts";
import type { Database } from "../platform/index.ts";
import type { DueMessage, Turn } from "./turn-store.ts";

const MESSAGES_MAX = 12;
const SPEAKERS: Readonly<Record<string, Said["who"]>> = { user: "user", ai: "agent", human: "person" };

/** What was said lately before one message of the user, oldest first; what the user wrote after it is not part of it. */
export async function recallLately(
  db: Database,
  { agentId, conversationId }: Pick<Turn, "agentId" | "conversationId">,
  { seq, answerWith }: DueMessage,
): Promise<Said[]> {
  if (answerWith?.memory === false) return [];
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
  return rows.reverse().flatMap(({ sender, text }) => {
    const who = SPEAKERS[sender];
    return who === undefined ? [] : [{ who, text }];
  });
}

import { ACKNOWLEDGED, type Acknowledged, type InputOf } from "@signalbox/contract";
import { sql } from "kysely";
import { storeRating } from "../answering/index.ts";
import {
  once,
  refuse,
  type AgentDatabase,
  type ChatCaller,
  type Database,
  type Refusal,
  type Sealer,
} from "../platform/index.ts";
import { refuseForeign } from "./own-conversation.ts";

/** One rating for each answer and for each handoff: a later one replaces it. */
export async function rateChat(
  { agents, sealer }: { agents: AgentDatabase; sealer: Sealer },
  caller: ChatCaller,
  { conversation_id, message_id, rating, comment }: InputOf<"rateChat">,
): Promise<Acknowledged | Refusal> {
  const foreign = await refuseForeign(agents, caller, conversation_id);
  if (foreign !== undefined) return foreign;
  const { agentId } = caller;
  const scope = { ...caller, about: [conversation_id] };
  return agents.asAgent(agentId, (db) =>
    once(db, sealer, scope, async (db): Promise<Acknowledged | Refusal> => {
      const rated = message_id
        ? await findAnswer(db, agentId, conversation_id, message_id)
        : await findConversation(db, agentId, conversation_id);
      if (rated === undefined)
        return refuse("notFound", "this conversation has no message of the agent with this message_id");
      const reply = {
        conversationId: conversation_id,
        messageId: message_id ?? null,
        handoffId: rated.handoff_id,
        questionId: rated.question_id,
      };
      await storeRating(db, agentId, reply, { rating, comment });
      return ACKNOWLEDGED;
    }),
  );
}

interface Rated {
  handoff_id: string | null;
  question_id: string | null;
}

/** The question is kept where the agent had an answer: one that it had none to is listed as unanswered already. */
async function findAnswer(
  db: Database,
  agentId: string,
  conversationId: string,
  messageId: string,
): Promise<Rated | undefined> {
  // The conversation is held: one that is erased at this moment leaves nothing here.
  const { rows } = await sql<Rated>`
    select null::uuid as handoff_id, case when m.branch in ('direct', 'model') then (
      select q.id from message q where q.agent_id = m.agent_id and q.conversation_id = m.conversation_id
        and q.sender = 'user' and q.seq < m.seq order by q.seq desc limit 1) end as question_id
    from message m join conversation c on c.agent_id = m.agent_id and c.id = m.conversation_id
    where m.id = ${messageId} and m.agent_id = ${agentId} and m.conversation_id = ${conversationId}
      and m.sender = 'ai' for key share of c`.execute(db);
  return rows[0];
}

async function findConversation(
  db: Database,
  agentId: string,
  conversationId: string,
): Promise<Rated | undefined> {
  const { rows } = await sql<Rated>`
    select null::uuid as question_id, (
      select h.id from handoff h where h.agent_id = c.agent_id and h.conversation_id = c.id and h.first_reply_at is not null
      order by h.requested_at desc, h.id desc limit 1) as handoff_id
    from conversation c where c.agent_id = ${agentId} and c.id = ${conversationId} for key share of c`.execute(
    db,
  );
  return rows[0];
}

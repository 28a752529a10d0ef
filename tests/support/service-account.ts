import { createClient } from "@signalbox/sdk";
import type { Bed } from "./bed.ts";
import type { Accepted, DeadLetter } from "./ledger.ts";

export type ServiceAccount = {
  deadLetters: (DeadLetter & { cause: string; attempts: number })[];
  waiting: Accepted[];
};

/** What tells a message from others, by its place in the lane and its text; the text alone unless a test says otherwise. */
export type KeyOf = (sequence: number, text: string) => string;

/**
 * The service's own account of what did not arrive: what it gave up, as an operator sees it in the delivery log, and what
 * its tables say it still owes. What the log does not show was not given up visibly.
 */
export async function accountOf(
  bed: Pick<Bed, "baseUrl" | "operatorToken" | "database">,
  keyOf: KeyOf = (_, text) => text,
): Promise<ServiceAccount> {
  const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken });
  const deadLetters: ServiceAccount["deadLetters"] = [];
  let cursor: string | undefined;
  do {
    const page = await operator.deliveries.list({
      state: "dead",
      limit: 100,
      ...(cursor === undefined ? {} : { cursor }),
    });
    for (const { delivery_id, conversation_id, sequence, cause, attempt_count } of page.list) {
      const { body } = await operator.deliveries.get({ delivery_id });
      deadLetters.push({
        conversationId: conversation_id,
        sequence,
        key: keyOf(sequence, textOf(body)),
        cause: String(cause),
        attempts: attempt_count,
      });
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return { deadLetters, waiting: await waitingIn(bed, keyOf) };
}

/**
 * Replies that are not delivered, and users' messages that are not answered: the answer to a message takes its place. In one
 * statement, because a message that is answered between two would be in neither.
 */
async function waitingIn({ database }: Pick<Bed, "database">, keyOf: KeyOf): Promise<Accepted[]> {
  const owed = await database.query<{
    conversation_id: string;
    place: number;
    body: string | null;
    text: string | null;
  }>(
    `select l.conversation_id, d.seq::int as place, convert_from(d.body, 'UTF8') as body, null as text
     from delivery d join lane l on l.agent_id = d.agent_id and l.id = d.lane_id where d.state = 'pending'
     union all
     select conversation_id, place, null, text from (
       select m.conversation_id, m.seq, c.turn_done_seq, m.text,
         row_number() over (partition by m.agent_id, m.conversation_id order by m.seq)::int as place
       from message m join conversation c on c.agent_id = m.agent_id and c.id = m.conversation_id
       where m.sender = 'user' and c.turn_done_seq < c.turn_due_seq
     ) m where seq > turn_done_seq`,
  );
  return owed.map(({ conversation_id, place, body, text }) => ({
    conversationId: conversation_id,
    key: keyOf(place, text ?? textOf(body ?? "{}")),
  }));
}

function textOf(body: string): string {
  const said = JSON.parse(body) as { output?: { content: { text?: string } }[] };
  return said.output?.[0]?.content.text ?? "";
}

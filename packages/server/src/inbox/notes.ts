import type { InputOf, TalkNote } from "@signalbox/contract";
import { sql } from "kysely";
import { writeAsOperator } from "../agents/index.ts";
import { newId, Refusal, type OperatorCaller } from "../platform/index.ts";
import { announceTalk } from "./announce-talk.ts";
import { personOf } from "./person.ts";
import { describeNote, type NoteRow } from "./read-talk.ts";
import { auditTalk, type TalkParts } from "./take-talk.ts";
import { lockTalk, noTalk } from "./talk-row.ts";

/** For the team alone, on closed chats too. What is remembered of the call is the note's id: its text goes with the conversation. */
export async function addTalkNote(
  parts: TalkParts,
  caller: OperatorCaller,
  { text, ...path }: InputOf<"addTalkNote">,
): Promise<TalkNote | Refusal> {
  const { agent_id: agentId, talk_id: talkId } = path;
  const added = await writeAsOperator(parts, caller, async (db) => {
    const talk = await lockTalk(db, path);
    if (talk === undefined) return noTalk();
    const id = newId();
    const author = personOf(caller);
    await sql`insert into inbox_note (agent_id, id, talk_id, conversation_id, text, actor_id, actor_name)
      values (${agentId}, ${id}, ${talkId}, ${talk.conversation_id}, ${text}, ${author.id}, ${author.name})`.execute(
      db,
    );
    await sql`update inbox_talk set changed_at = now() where agent_id = ${agentId} and id = ${talkId}`.execute(
      db,
    );
    await auditTalk(db, caller, path, "inbox.note", { note_id: id });
    return { id };
  });
  if (added instanceof Refusal) return added;
  announceTalk(parts, { agentId, talkId });
  const { rows } = await sql<NoteRow>`
    select id, actor_id, actor_name, text, created_at from inbox_note where agent_id = ${agentId} and id = ${added.id}`.execute(
    parts.db,
  );
  const [row] = rows;
  return row === undefined ? noTalk() : describeNote(row);
}

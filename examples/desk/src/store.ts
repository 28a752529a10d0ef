import { DatabaseSync } from "node:sqlite";

export interface Conversation {
  /** The handoff's id: what replies are addressed with. */
  id: string;
  agent_id: string | null;
  opened_at: number;
  email: string | null;
  phone: string | null;
  user_id: string | null;
  anonymous_id: string | null;
  /** The user left word while nobody was there, and does not wait in the chat. */
  is_left: number;
  taken_by: string | null;
  ended_at: number | null;
  ended_by: EndedBy | null;
}

export type EndedBy = "user" | "timeout" | "human" | "service";

export interface Summary extends Conversation {
  last_text: string | null;
  last_kind: EntryKind | null;
  last_at: number | null;
}

export type EntryKind = "user" | "agent" | "human" | "ended";

export interface Entry {
  id: number;
  conversation_id: string;
  at: number;
  kind: EntryKind;
  who: string | null;
  text: string;
  /** waiting: not yet taken by the service; refused: the service said no. */
  state: "done" | "waiting" | "refused";
}

export type NewConversation = Omit<Conversation, "taken_by" | "ended_at" | "ended_by">;
export type NewEntry = Omit<Entry, "id"> & { client_id?: string };

const SCHEMA = `
create table if not exists conversation (
  id text primary key, agent_id text, opened_at integer not null,
  email text, phone text, user_id text, anonymous_id text,
  is_left integer not null, taken_by text, ended_at integer, ended_by text
) strict;
create table if not exists entry (
  id integer primary key, conversation_id text not null references conversation on delete cascade,
  at integer not null, kind text not null, who text, text text not null, state text not null, client_id text unique
) strict;
create index if not exists entry_of_conversation on entry (conversation_id, id);
create index if not exists entry_waiting on entry (id) where state = 'waiting';
create table if not exists handled_call (id text primary key, at integer not null) strict;
create table if not exists setting (name text primary key, value text not null) strict;
`;

const SUMMARY = `
select conversation.*, last.text as last_text, last.kind as last_kind, last.at as last_at
from conversation left join entry as last on last.id =
  (select max(id) from entry where conversation_id = conversation.id and kind in ('user', 'human'))`;

/** Everything the desk knows, in one file. A call is answered only once what it said is on the disk. */
export function openStore(file: string) {
  const database = new DatabaseSync(file);
  database.exec(
    "pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma busy_timeout = 2000;",
  );
  database.exec(SCHEMA);

  // Safe because each statement's columns are those of the type it is asked for.
  const all = <Row>(sql: string, ...values: (string | number | null)[]) =>
    database.prepare(sql).all(...values) as unknown as Row[];
  const one = <Row>(sql: string, ...values: (string | number | null)[]) => all<Row>(sql, ...values)[0];
  const change = (sql: string, ...values: (string | number | null)[]) =>
    Number(database.prepare(sql).run(...values).changes);

  function inTransaction<Result>(work: () => Result): Result {
    database.exec("begin immediate");
    try {
      const result = work();
      database.exec("commit");
      return result;
    } catch (error) {
      database.exec("rollback");
      throw error;
    }
  }

  return {
    inTransaction,
    close: () => database.close(),

    wasHandled: (callId: string) =>
      one("select 1 as found from handled_call where id = ?", callId) !== undefined,
    /** To be called in the transaction of what the call does. */
    rememberCall: (callId: string, at: number) =>
      change("insert or ignore into handled_call (id, at) values (?, ?)", callId, at),

    setting: (name: string) =>
      one<{ value: string }>("select value from setting where name = ?", name)?.value,
    keepSetting: (name: string, value: string) =>
      change("insert or replace into setting (name, value) values (?, ?)", name, value),

    conversation: (id: string) => one<Conversation>("select * from conversation where id = ?", id),
    addConversation: (given: NewConversation) =>
      change(
        `insert or ignore into conversation (id, agent_id, opened_at, email, phone, user_id, anonymous_id, is_left)
         values (?, ?, ?, ?, ?, ?, ?, ?)`,
        given.id,
        given.agent_id,
        given.opened_at,
        given.email,
        given.phone,
        given.user_id,
        given.anonymous_id,
        given.is_left,
      ) > 0,
    /** Those that are open, longest waiting first, and behind them those that ended last. */
    summaries: (endedMax: number) => [
      ...all<Summary>(`${SUMMARY} where ended_at is null order by opened_at`),
      ...all<Summary>(`${SUMMARY} where ended_at is not null order by ended_at desc limit ?`, endedMax),
    ],
    entries: (conversationId: string) =>
      all<Entry>(
        "select id, conversation_id, at, kind, who, text, state from entry where conversation_id = ? order by id",
        conversationId,
      ),
    /** An entry that the same browser sent before is not added again. */
    addEntry: ({ conversation_id, at, kind, who, text, state, client_id }: NewEntry) =>
      change(
        `insert or ignore into entry (conversation_id, at, kind, who, text, state, client_id)
         values (?, ?, ?, ?, ?, ?, ?)`,
        conversation_id,
        at,
        kind,
        who,
        text,
        state,
        client_id ?? null,
      ) > 0,
    settleEntry: (id: number, state: "done" | "refused") =>
      change("update entry set state = ? where id = ?", state, id),
    /** What the service has not taken yet, oldest first. */
    firstWaiting: (conversationId: string) =>
      one<Entry>(
        "select * from entry where conversation_id = ? and state = 'waiting' order by id limit 1",
        conversationId,
      ),
    conversationsWaiting: () =>
      all<{ id: string }>("select distinct conversation_id as id from entry where state = 'waiting'").map(
        ({ id }) => id,
      ),

    /** Takes it only from the holder it is seen with: if two take it at once, one does. */
    take: (id: string, from: string | null, to: string | null) =>
      change(
        "update conversation set taken_by = ? where id = ? and taken_by is ? and ended_at is null",
        to,
        id,
        from,
      ) > 0,
    end: (id: string, at: number, by: EndedBy) =>
      change(
        "update conversation set ended_at = ?, ended_by = ? where id = ? and ended_at is null",
        at,
        by,
        id,
      ) > 0,
    forgetBefore(at: number): void {
      change("delete from conversation where ended_at < ?", at);
      change("delete from handled_call where at < ?", at);
    },
  };
}

export type Store = ReturnType<typeof openStore>;

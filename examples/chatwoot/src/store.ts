import { DatabaseSync } from "node:sqlite";

export interface Handoff {
  id: string;
  /** The contact in Chatwoot's inbox. Each handoff has its own, and so its own conversation. */
  source_id: string | null;
  chatwoot_id: number | null;
  /** The newest of the user's messages that Chatwoot is known to have. */
  last_message_id: number;
  /** The user left word while nobody was there, and waits for no reply in the chat. */
  is_left: number;
  ended_at: number | null;
}

/** What an agent of Chatwoot did and the service has not taken yet. */
export interface Outgoing {
  key: string;
  handoff_id: string;
  kind: "reply" | "close";
  message_id: number;
  text: string;
  at: number;
}

const SCHEMA = `
create table if not exists handoff (
  id text primary key, source_id text unique, chatwoot_id integer, last_message_id integer not null default 0,
  is_left integer not null default 0, opened_at integer not null, ended_at integer
) strict;
create table if not exists call (id text primary key, at integer not null, is_handled integer not null default 0) strict;
create table if not exists outgoing (
  key text primary key, handoff_id text not null, kind text not null, message_id integer not null,
  text text not null, at integer not null, is_settled integer not null default 0
) strict;
create index if not exists outgoing_waiting on outgoing (handoff_id) where is_settled = 0;
`;

/** Everything the bridge knows, in one file. */
export function openStore(file: string) {
  const database = new DatabaseSync(file);
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma busy_timeout = 2000;");
  database.exec(SCHEMA);
  type Value = string | number | null;
  // Safe because each statement's columns are those of the type it is asked for.
  const one = <Row>(sql: string, ...values: Value[]) =>
    database.prepare(sql).get(...values) as unknown as Row | undefined;
  const change = (sql: string, ...values: Value[]) =>
    Number(database.prepare(sql).run(...values).changes) > 0;

  return {
    close: () => database.close(),

    /** The handoff of this id, written down when it is met for the first time. */
    openHandoff(id: string): Handoff {
      change("insert or ignore into handoff (id, opened_at) values (?, ?)", id, Date.now());
      return one<Handoff>("select * from handoff where id = ?", id)!;
    },
    handoff: (id: string) => one<Handoff>("select * from handoff where id = ?", id),
    handoffOf: (sourceId: string) => one<Handoff>("select * from handoff where source_id = ?", sourceId),
    keepSource: (id: string, sourceId: string) =>
      change("update handoff set source_id = ? where id = ?", sourceId, id),
    keepConversation: (id: string, chatwootId: number) =>
      change("update handoff set chatwoot_id = ? where id = ?", chatwootId, id),
    keepLeft: (id: string) => change("update handoff set is_left = 1 where id = ?", id),
    /** False when it had ended before. */
    end: (id: string) =>
      change("update handoff set ended_at = ? where id = ? and ended_at is null", Date.now(), id),

    wasHandled: (callId: string) =>
      one("select 1 as found from call where id = ? and is_handled = 1", callId) !== undefined,
    /** False when it was begun before, and nobody knows how far it came. */
    beginCall: (callId: string) =>
      change("insert or ignore into call (id, at) values (?, ?)", callId, Date.now()),
    finishCall: (callId: string) =>
      change("insert or replace into call (id, at, is_handled) values (?, ?, 1)", callId, Date.now()),
    /** One step, so that no crash comes between what was said and the note that it was. */
    keepSaid(handoffId: string, callId: string, messageId: number): void {
      database.exec("begin immediate");
      change("update handoff set last_message_id = ? where id = ?", messageId, handoffId);
      change("update call set is_handled = 1 where id = ?", callId);
      database.exec("commit");
    },

    /** A call with a known key is not added again. */
    addOutgoing: ({ key, handoff_id, kind, message_id, text, at }: Outgoing) =>
      change(
        "insert or ignore into outgoing (key, handoff_id, kind, message_id, text, at) values (?, ?, ?, ?, ?, ?)",
        key,
        handoff_id,
        kind,
        message_id,
        text,
        at,
      ),
    /** Replies in the order they were written, then the close. */
    firstOutgoing: (handoffId: string) =>
      one<Outgoing>(
        "select * from outgoing where handoff_id = ? and is_settled = 0 order by kind = 'close', message_id limit 1",
        handoffId,
      ),
    settleOutgoing: (key: string) => change("update outgoing set is_settled = 1 where key = ?", key),
    handoffsWaiting: () =>
      database
        .prepare("select distinct handoff_id from outgoing where is_settled = 0")
        .all()
        .map((row) => String(row["handoff_id"])),
    forgetBefore(at: number): void {
      change("delete from outgoing where is_settled = 1 and at < ?", at);
      change("delete from call where at < ?", at);
      change("delete from handoff where coalesce(ended_at, opened_at) < ?", at);
    },
  };
}

export type Store = ReturnType<typeof openStore>;

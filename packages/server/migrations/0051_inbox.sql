-- The inbox: the desk in the console. It is a human service like any other, which the service itself receives the calls of.
alter table webhook
  -- Set for an inbox: who is offered a chat that waits. Its url is where it was received when it was made; deliveries follow INBOX_URL.
  add column inbox_assignment text check (inbox_assignment in ('manual', 'turn', 'load')),
  add constraint webhook_inbox_check check (inbox_assignment is null or kind = 'human_service');
create unique index webhook_one_inbox on webhook (agent_id) where inbox_assignment is not null and deleted_at is null;

-- Who wrote a human's message in the inbox; null for other desks.
alter table message
  add column author_id uuid,
  add column author_name text;

-- A handoff as the team sees it. What was said stays in the messages: a row holds none of it, and goes with its conversation.
create table inbox_talk (
  agent_id uuid not null,
  -- The handoff's.
  id uuid not null,
  conversation_id uuid not null,
  state text not null default 'waiting' check (state in ('waiting', 'taken', 'closed')),
  holder text check (holder in ('account', 'operator_token', 'bootstrap_token')),
  holder_id uuid,
  holder_name text,
  -- An account, while it waits.
  offered_to uuid,
  -- Messages of the user up to here were seen.
  seen_seq bigint not null default 0,
  -- Whole milliseconds, so that a cursor can hand the value back unchanged.
  requested_at timestamptz not null,
  taken_at timestamptz,
  active_at timestamptz not null default date_trunc('milliseconds', now()),
  closed_at timestamptz,
  -- For whoever looks for changes.
  changed_at timestamptz not null default now(),
  primary key (agent_id, id),
  check (state <> 'taken' or holder is not null),
  check ((state = 'closed') = (closed_at is not null)),
  check (offered_to is null or state = 'waiting')
);
create index inbox_talk_open on inbox_talk (agent_id, requested_at, id) where state <> 'closed';
create index inbox_talk_closed on inbox_talk (agent_id, closed_at, id) where state = 'closed';
create index inbox_talk_by_conversation on inbox_talk (agent_id, conversation_id);
create index inbox_talk_changed on inbox_talk (changed_at);
call signalbox_isolate('inbox_talk', '', 'select, insert, update, delete');

-- What the team writes about a chat, for itself.
create table inbox_note (
  agent_id uuid not null,
  id uuid not null,
  talk_id uuid not null,
  conversation_id uuid not null,
  text text not null,
  actor_id uuid,
  actor_name text not null,
  created_at timestamptz not null default now(),
  primary key (agent_id, id)
);
create index inbox_note_by_talk on inbox_note (agent_id, talk_id, id);
create index inbox_note_by_conversation on inbox_note (agent_id, conversation_id);
call signalbox_isolate('inbox_note', '', 'select, insert, delete');

create table canned_reply (
  agent_id uuid not null,
  id uuid not null,
  title text not null,
  text text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (agent_id, id)
);
call signalbox_isolate('canned_reply', '', 'select, insert, update, delete');

-- Whether somebody is there for the users of an agent.
create table inbox_presence (
  agent_id uuid not null,
  account_id uuid not null,
  presence text not null check (presence in ('available', 'away')),
  set_at timestamptz not null default now(),
  -- The last chat that was offered; by turn, whoever waits longest is next.
  offered_at timestamptz,
  primary key (agent_id, account_id)
);
call signalbox_isolate('inbox_presence', '', 'select, insert, update');

create function signalbox_forget_talks() returns trigger language plpgsql
as $$
begin
  delete from inbox_note where agent_id = old.agent_id and conversation_id = old.id;
  delete from inbox_talk where agent_id = old.agent_id and conversation_id = old.id;
  return null;
end $$;
create trigger conversation_deleted_talks after delete on conversation for each row execute function signalbox_forget_talks();
create trigger conversation_redacted_talks after update of redacted_at on conversation for each row
  when (new.redacted_at is not null) execute function signalbox_forget_talks();

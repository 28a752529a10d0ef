-- Figures by the hour (ADR 0036). The leading worker fills them from what was committed; no message or delivery writes here, and no
-- row holds a word of a user.
create table numbers_hour (
  agent_id uuid not null,
  hour timestamptz not null,
  channel text not null,
  language text not null,
  kind text not null check (kind in
    ('conversation', 'message', 'answer', 'handoff', 'handoff_end', 'waiting', 'first_reply', 'resolved', 'tokens')),
  -- Who spoke, which branch answered, why a handoff began or ended, or up to how many seconds something took.
  detail text not null default '',
  count bigint not null,
  total_ms bigint not null default 0,
  primary key (agent_id, hour, channel, language, kind, detail)
);
create index numbers_hour_by_time on numbers_hour (hour);
call signalbox_isolate('numbers_hour', '', 'select, insert, update, delete');

-- How far a conversation is counted. Its messages have numbers without gaps, given under its lock: what has a higher number is not
-- counted, and nothing else is.
create table numbers_conversation (
  agent_id uuid not null,
  conversation_id uuid not null,
  counted_seq bigint not null,
  language text not null,
  primary key (agent_id, conversation_id)
);
call signalbox_isolate('numbers_conversation', '', 'select, insert, update, delete');

-- Which steps of a handoff are counted: its request by this row, then the first reply and the end.
create table numbers_handoff (
  agent_id uuid not null,
  handoff_id uuid not null,
  conversation_id uuid not null,
  channel text not null,
  language text not null,
  has_reply boolean not null default false,
  is_ended boolean not null default false,
  primary key (agent_id, handoff_id)
);
create index numbers_handoff_of_conversation on numbers_handoff (agent_id, conversation_id);
create index numbers_handoff_open on numbers_handoff (handoff_id) where not is_ended;
call signalbox_isolate('numbers_handoff', '', 'select, insert, update, delete');

-- Tokens of daily_use that are counted, by the day.
create table numbers_tokens (
  agent_id uuid not null,
  day date not null,
  counted bigint not null,
  primary key (agent_id, day)
);
call signalbox_isolate('numbers_tokens', '', 'select, insert, update, delete');

-- One row: whoever counts holds it. Up to which message each pass has looked for conversations.
create table numbers_sweep (
  is_only boolean primary key default true check (is_only),
  message_ids uuid[] not null
);
insert into numbers_sweep (message_ids)
values (array_fill('00000000-0000-0000-0000-000000000000'::uuid, array[3]));
grant select, update on numbers_sweep to signalbox_work;

create function signalbox_forget_numbers() returns trigger language plpgsql
as $$
begin
  delete from numbers_conversation where agent_id = old.agent_id and conversation_id = old.id;
  delete from numbers_handoff where agent_id = old.agent_id and conversation_id = old.id;
  return null;
end $$;
create trigger conversation_deleted_numbers after delete on conversation for each row execute function signalbox_forget_numbers();

-- Small talk is told from answers of the agent's knowledge. Rows from before are direct.
alter table message
  drop constraint message_branch_check,
  add constraint message_branch_check check (branch in ('direct', 'model', 'fallback', 'notice', 'small_talk')) not valid;

-- One call of a human for a conversation, from the request to its end. Its id is the conversation_id of 4.6 to 4.10.
create table handoff (
  agent_id uuid not null,
  id uuid not null,
  conversation_id uuid not null,
  component_id uuid not null,
  trigger text not null check (trigger in ('phrase', 'user', 'no_answer', 'model', 'api')),
  state text not null check (state in ('requested', 'connecting', 'active', 'busy', 'closed')),
  reason text check (reason in ('refused', 'first_reply', 'human_idle', 'user_idle', 'user_closed', 'human_closed',
    'desk_lost', 'desk_removed', 'message_left')),
  -- Numbers of the conversation's messages: everything up to told_seq has its call to the desk, what is above it is held.
  told_seq bigint not null,
  heard_seq bigint not null default 0,
  replied_seq bigint not null default 0,
  -- The one timer that runs; the engine only wakes whoever looks at it.
  timer_kind text check (timer_kind in ('first_reply', 'human_idle', 'user_idle')),
  -- One that lies in the future shows that the clock was set back since.
  timer_set_at timestamptz,
  timer_due_at timestamptz,
  timer_warned boolean not null default false,
  timer_graced boolean not null default false,
  -- When somebody should look, and for when the engine's one outstanding call was asked for.
  timer_wake_at timestamptz,
  timer_call_at timestamptz,
  -- Whole milliseconds, so that a program can hand the value back unchanged.
  requested_at timestamptz not null default date_trunc('milliseconds', now()),
  first_reply_at timestamptz,
  ended_at timestamptz,
  primary key (agent_id, id),
  check ((state in ('busy', 'closed')) = (reason is not null)),
  check ((state in ('connecting', 'active')) = (timer_kind is not null)),
  check ((timer_kind is null) = (timer_set_at is null) and (timer_kind is null) = (timer_due_at is null) and (timer_kind is null) = (timer_wake_at is null))
) partition by hash (agent_id);
call signalbox_partition_by_hash('handoff');
create unique index handoff_one_open on handoff (agent_id, conversation_id) where state in ('requested', 'connecting', 'active');
create index handoff_by_conversation on handoff (agent_id, conversation_id, requested_at);
create index handoff_by_time on handoff (agent_id, requested_at, id);
-- A desk that may call without a key names nothing but the handoff.
create index handoff_by_id on handoff (id);
create index handoff_to_look_at on handoff (timer_wake_at) where timer_wake_at is not null;
create index handoff_set on handoff (timer_set_at) where timer_set_at is not null;
create index handoff_open_by_component on handoff (component_id) where state in ('requested', 'connecting', 'active');
call signalbox_isolate('handoff', 'select, insert, update', 'select, insert, update');

alter table conversation
  -- The open handoff; set exactly while a human holds control.
  add column handoff_id uuid,
  -- Questions in a row that had no answer.
  add column no_answers integer not null default 0,
  -- What was said up to here asks for no person any more; until then the agent asks for none by itself.
  add column handoff_quiet_seq bigint not null default 0,
  add column handoff_quiet_until timestamptz,
  -- The desk was closed: an address the user writes now goes to this component when it opens.
  add column away_component_id uuid,
  add constraint conversation_handoff_check check ((control = 'human') = (handoff_id is not null));

-- The calls of one handoff share a lane.
alter table lane add column handoff_id uuid;

-- Rule I-14: the same reply of a human, sent again, is one message.
alter table message add column reply_hash bytea;
create unique index message_reply_once on message (agent_id, conversation_id, reply_hash) where reply_hash is not null;

alter table agent add column handoff_settings jsonb not null default '{}';

alter table webhook
  add column rule jsonb not null default '{}',
  add column business_hours jsonb;
-- The api role chooses a component, and learns nothing of its credentials.
grant select (rule, business_hours, created_at, allow_unauthenticated_replies) on webhook to signalbox_api;

alter table delivery
  drop constraint delivery_event_check,
  add constraint delivery_event_check check (event in
    ('message', 'handoff_requested', 'user_message', 'handoff_closed', 'message_left', 'operator_event'));

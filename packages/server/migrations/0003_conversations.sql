-- The conversation's row is the one serialisation point of everything said in it.
create table conversation (
  agent_id uuid not null,
  id uuid not null,
  channel text not null,
  user_id text,
  anonymous_id text,
  email text,
  phone text,
  control text not null default 'bot' check (control in ('bot', 'human')),
  epoch bigint not null default 0,
  last_seq bigint not null default 0,
  -- The wake bit of the turn object: awake while turn_done_seq < turn_due_seq.
  turn_due_seq bigint not null default 0,
  turn_done_seq bigint not null default 0,
  turn_awake boolean not null default false,
  turn_beat_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  primary key (agent_id, id)
) partition by hash (agent_id);
call signalbox_partition_by_hash('conversation');
-- No column that changes with every message is indexed, so those updates stay in their page.
create index conversation_turn_awake on conversation (agent_id, id) where turn_awake;
call signalbox_isolate('conversation', 'select, insert, update', 'select, insert, update');

create table message (
  agent_id uuid not null,
  conversation_id uuid not null,
  seq bigint not null,
  id uuid not null,
  sender text not null check (sender in ('user', 'ai', 'human', 'system')),
  response_mode text check (response_mode in ('blocking', 'streaming', 'webhook')),
  text text not null,
  created_at timestamptz not null default now(),
  primary key (agent_id, conversation_id, seq)
) partition by hash (agent_id);
call signalbox_partition_by_hash('message');
call signalbox_isolate('message', 'select, insert', 'select, insert');

-- One attempt of the agent to answer the user's messages first_seq to last_seq, under the epoch it started from.
create table turn (
  agent_id uuid not null,
  conversation_id uuid not null,
  id uuid not null,
  first_seq bigint not null,
  last_seq bigint not null,
  epoch bigint not null,
  owner text not null,
  lease_until timestamptz not null,
  state text not null default 'open' check (state in ('open', 'answered', 'superseded', 'abandoned')),
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (agent_id, conversation_id, id)
) partition by hash (agent_id);
call signalbox_partition_by_hash('turn');
create unique index turn_one_open on turn (agent_id, conversation_id) where state = 'open';
call signalbox_isolate('turn', 'select, insert, update', 'select, insert, update');

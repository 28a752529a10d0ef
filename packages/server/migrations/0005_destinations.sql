-- What is known of a destination that is sick. No row, or another url, means that it is well: successes never write here.
create table destination (
  id uuid primary key,
  agent_id uuid not null,
  url text not null,
  breaker text not null check (breaker in ('closed', 'open', 'disabled')),
  changed_at timestamptz not null default now(),
  -- Tries of one parked lane at a time while the breaker is open.
  tries integer not null default 0,
  next_try_at timestamptz not null default now(),
  -- How far the waking of parked lanes has come since it closed.
  recovery_step integer not null default 0
);
create index destination_by_agent on destination (agent_id);
create index destination_open on destination (next_try_at) where breaker = 'open';
call signalbox_isolate('destination', '', 'select, insert, update');

alter table lane
  -- This lane's next message is the try that shows whether its destination lives.
  add column trying boolean not null default false,
  add column parked_at timestamptz,
  -- When the message at the head first failed while the destination answered others; it is given up in time.
  add column blocked_since timestamptz;
create index lane_parked on lane (agent_id, destination_id, parked_at) where state = 'parked';

alter table delivery
  -- Why it was given up: the cause of its last attempt, or what made a further one pointless.
  add column cause text,
  -- A replay is a delivery of its own that keeps the id and the number of the one it repeats.
  add column replay_of uuid,
  add column replay_seq bigint;

alter table attempt
  add column url text,
  add column response_body bytea;

-- Operators hear of sick destinations by a webhook of their own, which belongs to no agent: its lanes, log and replay are
-- those of every other webhook, under this id. It has no knowledge base, and so is in no list of agents.
insert into agent (id, name) values ('00000000-0000-0000-0000-000000000000', 'operator');
alter table webhook
  drop constraint webhook_kind_check,
  drop constraint webhook_check,
  add constraint webhook_kind_check check (kind in ('message', 'human_service', 'operator')),
  add constraint webhook_name_check check ((kind = 'human_service') = (name is not null));
create unique index webhook_one_for_operators on webhook (kind) where kind = 'operator' and deleted_at is null;
alter table delivery
  drop constraint delivery_event_check,
  add constraint delivery_event_check
    check (event in ('message', 'handoff_requested', 'user_message', 'handoff_closed', 'operator_event'));

-- Workers that live share the in-flight places of each destination.
create table worker (
  id uuid primary key,
  beat_at timestamptz not null default now()
);
grant select, insert, update, delete on worker to signalbox_work;

-- One ordered stream of deliveries: to one destination, of one conversation.
create table lane (
  agent_id uuid not null,
  id uuid not null,
  destination_id uuid not null,
  conversation_id uuid not null,
  state text not null check (state in ('idle', 'awake', 'parked')),
  tail_seq bigint not null,
  done_seq bigint not null default 0,
  -- Raised by every drain; an outcome counts only under the fence it was read with (rule 4 of docs/architecture.md).
  fence bigint not null default 0,
  due_at timestamptz not null default now(),
  beat_at timestamptz not null default now(),
  awake_since timestamptz not null default now(),
  -- Lower bound of the pending rows' created_at, so that a drain reads no older partition.
  pending_since timestamptz not null default date_trunc('milliseconds', now()),
  primary key (agent_id, id)
) partition by hash (agent_id);
call signalbox_partition_by_hash('lane');
-- Neither beats nor progress are indexed: only going idle or waking touches an index.
create index lane_awake on lane (agent_id, id) where state = 'awake';
call signalbox_isolate('lane', 'select, insert, update', 'select, insert, update');

create table delivery (
  agent_id uuid not null,
  lane_id uuid not null,
  seq bigint not null,
  -- Whole milliseconds, so that a program can hand the value back unchanged.
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  id uuid not null,
  event text not null check (event in ('message', 'handoff_requested', 'user_message', 'handoff_closed')),
  sender text not null check (sender in ('user', 'ai', 'human', 'system')),
  -- The exact bytes that are signed and sent, on every attempt.
  body bytea not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'dead')),
  attempts integer not null default 0,
  finished_at timestamptz,
  primary key (agent_id, lane_id, seq, created_at)
) partition by range (created_at);
create index delivery_by_id on delivery (id);
call signalbox_isolate('delivery', 'select, insert', 'select, insert, update');

create table attempt (
  agent_id uuid not null,
  delivery_id uuid not null,
  number integer not null,
  id uuid not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  cause text,
  http_status integer,
  primary key (agent_id, delivery_id, id, started_at)
) partition by range (started_at);
call signalbox_isolate('attempt', '', 'select, insert');

-- What an Idempotency-Key was answered with, kept for a day and dropped by partition.
create table idempotency (
  agent_id uuid not null,
  key_hash bytea not null,
  created_at timestamptz not null default now(),
  request_hash bytea not null,
  result_sealed bytea not null,
  primary key (agent_id, key_hash, created_at)
) partition by range (created_at);
call signalbox_isolate('idempotency', 'select, insert', 'select, insert');

-- The service's roles own nothing, so the one thing they may create is what this makes: the next days' partitions.
create function signalbox_ensure_partitions(days_ahead integer) returns integer
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  made integer := 0;
  parent text;
  name text;
begin
  perform pg_advisory_xact_lock(hashtext('signalbox partitions'));
  foreach parent in array array['delivery', 'attempt', 'idempotency'] loop
    for day in 0..days_ahead loop
      name := format('%s_%s', parent, to_char((now() at time zone 'utc')::date + day - 1, 'YYYYMMDD'));
      if to_regclass(name) is null then
        execute format('create table %I partition of %I for values from (%L) to (%L)', name, parent,
          ((now() at time zone 'utc')::date + day - 1)::timestamp at time zone 'utc',
          ((now() at time zone 'utc')::date + day)::timestamp at time zone 'utc');
        made := made + 1;
      end if;
    end loop;
  end loop;
  return made;
end $$;
revoke execute on function signalbox_ensure_partitions(integer) from public;
grant execute on function signalbox_ensure_partitions(integer) to signalbox_work;
select signalbox_ensure_partitions(8);

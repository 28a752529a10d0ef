-- The log is read newest first: of one agent, or of all. created_at and id never change, so a settled row needs no new
-- entry in these two as long as its second version fits into its page; hence the room left below. With both, a delivery
-- writes 1,684 bytes of WAL; it wrote 1,940 without either.
create index delivery_by_agent_and_time on delivery (agent_id, created_at, id);
create index delivery_by_time on delivery (created_at, id);
create index lane_by_conversation on lane (agent_id, conversation_id);

-- The day partitions, and what each parent's are made with.
create or replace function signalbox_ensure_partitions(days_ahead integer) returns integer
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  made integer := 0;
  parent text;
  name text;
begin
  perform pg_advisory_xact_lock(hashtext('signalbox partitions'));
  foreach parent in array array['delivery', 'dead_letter', 'attempt', 'idempotency'] loop
    for day in 0..days_ahead loop
      name := format('%s_%s', parent, to_char((now() at time zone 'utc')::date + day - 1, 'YYYYMMDD'));
      if to_regclass(name) is null then
        execute format('create table %I partition of %I for values from (%L) to (%L)', name, parent,
          ((now() at time zone 'utc')::date + day - 1)::timestamp at time zone 'utc',
          ((now() at time zone 'utc')::date + day)::timestamp at time zone 'utc');
        if parent = 'delivery' then
          execute format('alter table %I set (fillfactor = 70)', name);
        end if;
        made := made + 1;
      end if;
    end loop;
  end loop;
  return made;
end $$;

-- Deliveries given up, so that they are found without reading those that went well. An index on the state itself would
-- make every settled row write into all indexes of its table; this costs a delivery that goes well nothing.
create table dead_letter (
  agent_id uuid not null,
  delivery_id uuid not null,
  -- The delivery's own, so that the two go with the same day.
  created_at timestamptz not null,
  primary key (agent_id, created_at, delivery_id)
) partition by range (created_at);
create index dead_letter_by_time on dead_letter (created_at, delivery_id);
call signalbox_isolate('dead_letter', '', 'select, insert');

do $$
declare
  day text;
begin
  for day in select right(inhrelid::regclass::text, 8) from pg_inherits where inhparent = 'delivery'::regclass loop
    execute format('alter table %I set (fillfactor = 70)', 'delivery_' || day);
    execute format('create table %I partition of dead_letter for values from (%L) to (%L)', 'dead_letter_' || day,
      to_date(day, 'YYYYMMDD')::timestamp at time zone 'utc', (to_date(day, 'YYYYMMDD') + 1)::timestamp at time zone 'utc');
  end loop;
end $$;
insert into dead_letter select agent_id, id, created_at from delivery where state = 'dead';

create function signalbox_note_dead_letter() returns trigger language plpgsql
as $$
begin
  insert into dead_letter (agent_id, delivery_id, created_at) values (new.agent_id, new.id, new.created_at);
  return null;
end $$;
-- In the database, so that nobody who gives a delivery up can forget it.
create trigger delivery_given_up after update on delivery for each row
  when (new.state = 'dead' and old.state <> 'dead') execute function signalbox_note_dead_letter();

-- What cannot be told from the delivery itself about the headers an attempt was sent with.
alter table attempt
  add column webhook_timestamp bigint,
  add column webhook_signature text,
  add column authorization_scheme text;

-- Many deliveries sent again. Its steps enqueue what fits, oldest first, and note in the same transaction how far they came.
create table replay (
  id uuid primary key,
  filter jsonb not null,
  rate_per_second integer not null,
  matched integer not null,
  enqueued integer not null default 0,
  state text not null default 'running' check (state in ('running', 'finished', 'stopped')),
  -- Everything up to this delivery was looked at.
  position_at timestamptz,
  position_id uuid,
  next_step_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create index replay_running on replay (next_step_at) where state = 'running';
grant select, insert, update on replay to signalbox_work;

alter table delivery add column replay_id uuid;
create index delivery_by_replay on delivery (replay_id) where replay_id is not null;

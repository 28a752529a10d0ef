-- What speaks for an agent aloud: the third kind of model, with a voice.
alter table agent_model
  drop constraint agent_model_kind_check,
  add constraint agent_model_kind_check check (kind in ('chat', 'embedding', 'speech')),
  add column voice text,
  add column format text,
  add constraint agent_model_speech_check check ((kind = 'speech') = (voice is not null) and (kind = 'speech') = (format is not null));

-- What was spoken, for as long as its address is good.
create table speech (
  agent_id uuid not null,
  id uuid not null,
  content_type text not null,
  audio bytea not null,
  created_at timestamptz not null default now(),
  primary key (agent_id, id, created_at)
) partition by range (created_at);
call signalbox_isolate('speech', '', 'select, insert');
-- Sound is compressed already.
alter table speech alter column audio set storage external;

create or replace function signalbox_ensure_partitions(days_ahead integer) returns integer
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  made integer := 0;
  parent text;
  name text;
begin
  perform pg_advisory_xact_lock(hashtext('signalbox partitions'));
  foreach parent in array array['delivery', 'dead_letter', 'attempt', 'idempotency', 'speech'] loop
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
select signalbox_ensure_partitions(8);

-- Drops the oldest day that is past its retention, of one table, and says which; null when there is none. A day in which
-- a delivery still waits stays whole. It waits for its lock but a moment: whoever reads or delivers comes first.
create or replace function signalbox_drop_partition(retention_days integer) returns text
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '2s'
as $$
declare
  past record;
  day_end timestamptz;
  waits boolean;
begin
  if retention_days < 1 then
    raise exception 'nothing is dropped before it is a day old';
  end if;
  perform pg_advisory_xact_lock(hashtext('signalbox partitions'));
  for past in
    select parent.relname as parent, child.relname as name, right(child.relname, 8) as day
    from pg_inherits join pg_class child on child.oid = inhrelid join pg_class parent on parent.oid = inhparent
    where parent.relnamespace = 'public'::regnamespace
      and parent.relname in ('delivery', 'dead_letter', 'attempt', 'idempotency', 'speech')
      and child.relname ~ ('^' || parent.relname || '_\d{8}$')
    -- The deliveries of a day go last: what belongs to them is of no use without them.
    order by day, parent.relname = 'delivery', parent.relname
  loop
    day_end := (to_date(past.day, 'YYYYMMDD') + 1)::timestamp at time zone 'utc';
    -- An Idempotency-Key is honoured for 24 hours, the address of something spoken is good for 48.
    if day_end > now() - make_interval(days => case past.parent when 'idempotency' then 2 when 'speech' then 3 else retention_days end) then
      continue;
    end if;
    waits := false;
    if past.parent not in ('idempotency', 'speech') and to_regclass('delivery_' || past.day) is not null then
      -- A lane that waits since that day says so, which spares reading the day's rows.
      waits := exists (select from lane where state <> 'idle' and pending_since < day_end
        and pending_since >= day_end - interval '1 day');
      if not waits then
        execute format('select exists (select from %I where state = ''pending'')', 'delivery_' || past.day) into waits;
      end if;
    end if;
    if not waits then
      execute format('drop table %I', past.name);
      return past.name;
    end if;
  end loop;
  return null;
end $$;

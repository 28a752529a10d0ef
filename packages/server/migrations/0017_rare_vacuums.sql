-- A vacuum or an analyze of one partition makes every connection plan every statement on its table anew, over all partitions:
-- up to 170 ms each, at once, on all of them. Rows are read by key and mostly updated in place, so that neither is urgent.
create procedure signalbox_vacuum_rarely(name text) language plpgsql
as $$
begin
  execute format('alter table %I set (autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_scale_factor = 0.2,
    autovacuum_vacuum_insert_threshold = 200000, autovacuum_vacuum_insert_scale_factor = 0.5,
    autovacuum_analyze_threshold = 20000, autovacuum_analyze_scale_factor = 0.5)', name);
end $$;

do $$
declare
  name text;
begin
  for name in
    select child.relname from pg_inherits join pg_class child on child.oid = inhrelid join pg_class parent on parent.oid = inhparent
    where parent.relnamespace = 'public'::regnamespace and child.relkind = 'r'
      and parent.relname in ('conversation', 'message', 'turn', 'handoff', 'lane', 'delivery')
  loop
    call signalbox_vacuum_rarely(name);
  end loop;
end $$;

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
          call signalbox_vacuum_rarely(name);
        end if;
        made := made + 1;
      end if;
    end loop;
  end loop;
  return made;
end $$;

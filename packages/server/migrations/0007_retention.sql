-- Drops the oldest day that is past its retention, of one table, and says which; null when there is none. A day in which
-- a delivery still waits stays whole. It waits for its lock but a moment: whoever reads or delivers comes first.
create function signalbox_drop_partition(retention_days integer) returns text
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
      and parent.relname in ('delivery', 'dead_letter', 'attempt', 'idempotency')
      and child.relname ~ ('^' || parent.relname || '_\d{8}$')
    -- The deliveries of a day go last: what belongs to them is of no use without them.
    order by day, parent.relname = 'delivery', parent.relname
  loop
    day_end := (to_date(past.day, 'YYYYMMDD') + 1)::timestamp at time zone 'utc';
    -- An Idempotency-Key is honoured for 24 hours.
    if day_end > now() - make_interval(days => case past.parent when 'idempotency' then 2 else retention_days end) then
      continue;
    end if;
    waits := false;
    if past.parent <> 'idempotency' and to_regclass('delivery_' || past.day) is not null then
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
revoke execute on function signalbox_drop_partition(integer) from public;
grant execute on function signalbox_drop_partition(integer) to signalbox_work;

-- Row-level security binds the owner too: whoever logs in as the owner by mistake sees no row and changes none. Two exceptions. A
-- function that acts as the owner is called on a connection that has taken on a role. Maintenance, such as a migration, says so with
-- "set signalbox.maintenance = on". pg_database_owner is whoever owns this database, under whatever name.
create procedure signalbox_bind_owner(target regclass) language plpgsql
as $$
begin
  execute format('alter table %s force row level security', target);
  execute format(
    'create policy maintenance on %s to pg_database_owner
     using (current_setting(''role'') <> ''none'' or current_setting(''signalbox.maintenance'', true) = ''on'')',
    target);
end $$;

create or replace procedure signalbox_isolate(target regclass, api_may text, work_may text) language plpgsql
as $$
begin
  execute format('alter table %s enable row level security', target);
  call signalbox_bind_owner(target);
  if api_may <> '' then
    execute format('grant %s on %s to signalbox_api', api_may, target);
    execute format(
      'create policy one_agent on %s to signalbox_api using (agent_id = signalbox_agent()) with check (agent_id = signalbox_agent())',
      target);
  end if;
  if work_may <> '' then
    execute format('grant %s on %s to signalbox_work', work_may, target);
    execute format('create policy every_agent on %s to signalbox_work using (true) with check (true)', target);
  end if;
end $$;

do $$
declare
  target regclass;
begin
  for target in
    select oid from pg_class
    where relnamespace = 'public'::regnamespace and relrowsecurity and not relispartition order by relname
  loop
    call signalbox_bind_owner(target);
  end loop;
end $$;

-- Two roles do the service's work; neither owns a table, so row-level security binds both.
--   signalbox_api   sees one agent, the one named by signalbox.agent_id in its transaction
--   signalbox_work  crosses agents (key lookup, worker, reconciler, operators), on the tables it needs
do $$
declare
  name text;
  -- From version 16 on whoever creates a role administers it, which is not yet the right to take it on.
  membership text := case when current_setting('server_version_num')::integer >= 160000 then 'set' else 'member' end;
begin
  foreach name in array array['signalbox_api', 'signalbox_work'] loop
    -- A second database of the cluster finds the roles made, and its owner may be one who can make none.
    if to_regrole(name) is null then
      begin
        execute format('create role %I nologin', name);
      exception when duplicate_object or unique_violation then null;
      end;
    end if;
    if not pg_has_role(current_user, name, membership) then
      execute format('grant %I to %I', name, current_user);
    end if;
  end loop;
end $$;
grant usage on schema public to signalbox_api, signalbox_work;

create function signalbox_agent() returns uuid language sql stable parallel safe
as $$ select nullif(current_setting('signalbox.agent_id', true), '')::uuid $$;

-- Makes one table a tenant's table: the api role sees its agent's rows, the work role sees all.
create procedure signalbox_isolate(target regclass, api_may text, work_may text) language plpgsql
as $$
begin
  execute format('alter table %s enable row level security', target);
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

-- Sixty-four hash partitions: enough to spread over shards later, few enough to plan quickly.
create procedure signalbox_partition_by_hash(target text) language plpgsql
as $$
begin
  for remainder in 0..63 loop
    execute format('create table %I partition of %I for values with (modulus 64, remainder %s)',
      target || '_' || lpad(remainder::text, 2, '0'), target, remainder);
  end loop;
end $$;

create table agent (
  id uuid primary key,
  name text not null,
  language text not null default 'en',
  fallback_text text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
alter table agent enable row level security;
grant select on agent to signalbox_api;
create policy one_agent on agent to signalbox_api using (id = signalbox_agent());
grant select, insert, update on agent to signalbox_work;
create policy every_agent on agent to signalbox_work using (true) with check (true);

create table api_key (
  id uuid primary key,
  agent_id uuid not null references agent (id),
  key_hash bytea not null unique,
  prefix text not null,
  name text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index api_key_by_agent on api_key (agent_id, created_at);
call signalbox_isolate('api_key', '', 'select, insert, update');

-- A developer's endpoint: the message webhook of an agent, or one human-service component.
create table webhook (
  id uuid primary key,
  agent_id uuid not null references agent (id),
  kind text not null check (kind in ('message', 'human_service')),
  name text,
  url text not null,
  username_sealed bytea,
  secret_sealed bytea,
  signing_secret_sealed bytea not null,
  previous_signing_secret_sealed bytea,
  previous_signing_secret_until timestamptz,
  strict_acknowledgement boolean not null default false,
  allow_unauthenticated_replies boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  check ((kind = 'message') = (name is null))
);
create unique index webhook_one_for_messages on webhook (agent_id) where kind = 'message' and deleted_at is null;
create index webhook_by_agent on webhook (agent_id, created_at);
call signalbox_isolate('webhook', '', 'select, insert, update');
-- The api role may know that a webhook is configured, and nothing of its credentials.
grant select (id, agent_id, kind, name, deleted_at) on webhook to signalbox_api;
create policy one_agent on webhook to signalbox_api using (agent_id = signalbox_agent());

create table audit (
  id uuid primary key,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  agent_id uuid,
  subject_id uuid,
  detail jsonb not null
);
create index audit_by_agent on audit (agent_id, id);
-- Insert and read only: nobody the service runs as can change what was recorded.
call signalbox_isolate('audit', '', 'select, insert');

-- Operators' tokens, each with a name and scopes. The environment's OPERATOR_TOKEN only makes the first that manages.
create table operator_token (
  id uuid primary key,
  name text not null,
  token_hash bytea not null unique,
  prefix text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz
);
grant select, insert, update on operator_token to signalbox_work;

-- A key made before there were scopes keeps all of them.
alter table api_key
  add column scopes text[] not null default array['chat:mint', 'messages', 'knowledge', 'desk', 'read'];

-- Who did it, from where and by which request. Rows of before know none of it.
alter table audit
  add column actor_id uuid,
  add column actor_name text,
  add column address text,
  add column request_id text;
-- What an API key changes is recorded in the transaction of the change. Callers can neither read nor change the audit.
grant insert on audit to signalbox_api;
create policy own_entries on audit for insert to signalbox_api with check (agent_id = signalbox_agent());

-- Where the time of an attempt went. On a connection that was reused there was nothing to look up, connect or encrypt.
alter table attempt
  add column dns_ms integer,
  add column connect_ms integer,
  add column tls_ms integer,
  add column first_byte_ms integer;

-- The last checks of each webhook, for operators: when, and what came of it. What the receiver said is not kept.
create table webhook_check (
  agent_id uuid not null,
  webhook_id uuid not null,
  id uuid not null,
  url text not null,
  http_status integer not null,
  latency_ms integer not null,
  cause text,
  checked_at timestamptz not null default now(),
  primary key (agent_id, webhook_id, id)
);
call signalbox_isolate('webhook_check', '', 'select, insert, delete');

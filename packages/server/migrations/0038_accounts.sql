-- People who sign in to the console. None of these tables belongs to an agent; only the work role reads them.
create table account (
  id uuid primary key,
  -- In lower case.
  email text not null,
  name text not null,
  -- scrypt with its parameters and salt.
  password_hash text not null,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index account_by_email on account (email) where deleted_at is null;
grant select, insert, update on account to signalbox_work;

create table account_role (
  account_id uuid not null references account (id),
  -- The zero id stands for the installation.
  agent_id uuid not null,
  role text not null check (role in ('owner', 'developer', 'editor', 'support', 'viewer')),
  primary key (account_id, agent_id)
);
create index account_role_by_agent on account_role (agent_id);
grant select, insert, update, delete on account_role to signalbox_work;

create table account_session (
  id uuid primary key,
  account_id uuid not null references account (id),
  token_hash bytea not null unique,
  address text not null,
  user_agent text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index account_session_by_account on account_session (account_id, id);
grant select, insert, update, delete on account_session to signalbox_work;

create table account_invitation (
  id uuid primary key,
  token_hash bytea not null unique,
  email text,
  role text not null check (role in ('owner', 'developer', 'editor', 'support', 'viewer')),
  agent_id uuid not null,
  -- Printed at start while there is no account: worth nothing once there is one.
  is_first boolean not null default false,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  accepted_at timestamptz
);
grant select, insert, update on account_invitation to signalbox_work;

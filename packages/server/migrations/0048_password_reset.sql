-- Links with which somebody sets a new password. Only the work role reads them.
create table account_password_reset (
  id uuid primary key,
  account_id uuid not null references account (id),
  token_hash bytea not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index account_password_reset_by_account on account_password_reset (account_id);
grant select, insert, delete on account_password_reset to signalbox_work;

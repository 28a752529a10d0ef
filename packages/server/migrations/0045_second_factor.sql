-- One-time codes by time (TOTP, RFC 6238). Only the work role reads these tables.
create table account_totp (
  account_id uuid primary key references account (id),
  secret_sealed bytea not null,
  created_at timestamptz not null default now(),
  -- Null until the first code was given: nothing is asked of whoever has not confirmed it.
  confirmed_at timestamptz,
  -- The time step of the newest code that was accepted; no code of it or of an earlier one is accepted again.
  last_step bigint not null default 0,
  -- Within an hour from the first; at the limit no code is checked until the hour is over.
  wrong_tries integer not null default 0,
  wrong_since timestamptz not null default now()
);
grant select, insert, update, delete on account_totp to signalbox_work;

create table account_recovery_code (
  account_id uuid not null references account (id),
  code_hash bytea not null,
  primary key (account_id, code_hash)
);
grant select, insert, delete on account_recovery_code to signalbox_work;

-- The password was right and the code is missing yet; bound to a browser by a cookie.
create table account_sign_in (
  id uuid primary key,
  account_id uuid not null references account (id),
  token_hash bytea not null unique,
  tries integer not null default 0,
  expires_at timestamptz not null
);
create index account_sign_in_by_account on account_sign_in (account_id);
grant select, insert, update, delete on account_sign_in to signalbox_work;

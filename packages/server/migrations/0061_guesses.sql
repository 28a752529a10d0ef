-- Wrong passwords, codes and links, counted on all nodes. Only the work role reads these tables.
create table account_guess (
  -- Of an account, a known browser, a session or a client address, and of what was guessed.
  key_hash bytea primary key,
  wrong integer not null,
  -- Then it is counted anew.
  resets_at timestamptz not null
);
create index account_guess_by_reset on account_guess (resets_at);
grant select, insert, update, delete on account_guess to signalbox_work;

-- Browsers that an account has signed in from: guesses elsewhere do not close it to them.
create table account_device (
  id uuid primary key,
  account_id uuid not null references account (id),
  token_hash bytea not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  unique (account_id, token_hash)
);
create index account_device_by_token on account_device (token_hash);
grant select, insert, update, delete on account_device to signalbox_work;

alter table account_session add column device_id uuid;
-- account_totp.wrong_tries and wrong_since are not read any more. They go once no older version runs beside this one.

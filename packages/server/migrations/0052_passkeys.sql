-- Passkeys (WebAuthn) of accounts. Only the work role reads these tables.
create table account_passkey (
  id uuid primary key,
  account_id uuid not null references account (id),
  credential_id bytea not null unique,
  -- As COSE. No secret: with it a signature is checked, not made.
  public_key bytea not null,
  -- Of the newest signature, where the device counts them; one that does not grow came from a copy.
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index account_passkey_by_account on account_passkey (account_id);
grant select, insert, update, delete on account_passkey to signalbox_work;

-- Deleted by the first answer, right or wrong.
create table account_passkey_challenge (
  challenge_hash bytea primary key,
  -- Of the session that adds a passkey, or of the cookie of the browser that signs in.
  holder_hash bytea not null,
  expires_at timestamptz not null
);
create index account_passkey_challenge_by_end on account_passkey_challenge (expires_at);
grant select, insert, delete on account_passkey_challenge to signalbox_work;

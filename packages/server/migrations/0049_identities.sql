-- Accounts at an identity provider (OpenID Connect) that sign in to ours. Only the work role reads them.
create table account_identity (
  issuer text not null,
  subject text not null,
  account_id uuid not null references account (id),
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index account_identity_by_account on account_identity (account_id);
grant select, insert, delete on account_identity to signalbox_work;

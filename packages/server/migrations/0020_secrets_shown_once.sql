-- An answer that held a secret is not stored. In its place stands what a repeat of the call is refused with.
alter table idempotency
  alter column result_sealed drop not null,
  add column refusal text,
  add constraint idempotency_one_outcome check ((result_sealed is null) <> (refusal is null));

-- Sealed answers of operators kept before held new API keys and signing secrets.
delete from idempotency where agent_id = '00000000-0000-0000-0000-000000000000';

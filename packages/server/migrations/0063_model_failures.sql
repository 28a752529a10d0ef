-- Why the last call of a model failed; null after one that did not.
alter table agent_model
  add column failed_at timestamptz,
  add column failure_cause text,
  -- What the model's server said. It may quote the request, never the key.
  add column failure_detail text,
  add constraint agent_model_failure_check
    check ((failed_at is null) = (failure_cause is null) and (failed_at is null) = (failure_detail is null));
create index agent_model_by_failure on agent_model (failed_at) where failed_at is not null;

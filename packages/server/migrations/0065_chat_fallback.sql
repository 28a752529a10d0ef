-- A second chat model, which is asked when the first fails.
alter table agent_model
  drop constraint agent_model_kind_check,
  add constraint agent_model_kind_check check (kind in ('chat', 'chat_fallback', 'embedding', 'speech'));

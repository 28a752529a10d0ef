-- Which model speaks for an agent, and which makes its vectors. Without one, the agent answers from its pairs by words.
create table agent_model (
  agent_id uuid not null references agent (id),
  kind text not null check (kind in ('chat', 'embedding')),
  url text not null,
  model text not null,
  key_sealed bytea,
  timeout_ms integer not null,
  input_credits_per_million double precision not null default 0,
  output_credits_per_million double precision not null default 0,
  updated_at timestamptz not null default now(),
  primary key (agent_id, kind)
);
call signalbox_isolate('agent_model', '', 'select, insert, update, delete');

-- Scores from which an agent answers; null: the service's own, which were calibrated.
alter table agent
  add column direct_score double precision check (direct_score between 0 and 1),
  add column answer_score double precision check (answer_score between 0 and 1);

-- What users asked and the agent could not answer, once for each question however it is punctuated.
create table unanswered_question (
  agent_id uuid not null,
  question_key bytea not null,
  id uuid not null,
  question text not null,
  best_score double precision not null,
  best_document_id uuid,
  best_question text,
  asked integer not null default 1,
  first_asked_at timestamptz not null default now(),
  last_asked_at timestamptz not null default now(),
  primary key (agent_id, question_key)
);
create index unanswered_question_by_id on unanswered_question (agent_id, id);
call signalbox_isolate('unanswered_question', '', 'select, insert, update, delete');

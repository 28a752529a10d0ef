-- Questions that somebody wants answered by a certain pair, or not at all. They are asked again after each import.
create table saved_question (
  agent_id uuid not null,
  id uuid not null,
  -- Equal for questions that differ in case, width, blanks and punctuation alone.
  question_key bytea not null,
  question text not null,
  -- The texts of the pair when it was chosen, because a new import gives its pairs new ids. Null: the agent should not answer.
  expected_question text,
  expected_answer text,
  actor text,
  actor_id uuid,
  actor_name text,
  created_at timestamptz not null default now(),
  primary key (agent_id, id),
  unique (agent_id, question_key),
  check ((expected_question is null) = (expected_answer is null))
);
call signalbox_isolate('saved_question', '', 'select, insert, update, delete');

-- What came of asking them. Of each agent the last runs are kept.
create table saved_question_run (
  agent_id uuid not null,
  id uuid not null,
  trigger text not null check (trigger in ('manual', 'import', 'restore')),
  document_id uuid,
  revision integer,
  state text not null default 'waiting' check (state in ('waiting', 'finished', 'failed')),
  -- It asked a content that was not published, and says nothing of what users are answered.
  is_held boolean not null default false,
  total integer not null default 0,
  passed integer not null default 0,
  better integer not null default 0,
  worse integer not null default 0,
  results jsonb not null default '[]',
  attempts integer not null default 0,
  beat_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (agent_id, id),
  check ((document_id is null) = (revision is null))
);
create unique index saved_question_run_of_revision on saved_question_run (agent_id, document_id, revision) where document_id is not null;
create index saved_question_run_waiting on saved_question_run (beat_at) where state = 'waiting';
call signalbox_isolate('saved_question_run', '', 'select, insert, update, delete');

-- An import that makes a saved question fail waits for an editor's yes.
alter table agent add column hold_failing_imports boolean not null default false;
alter table document_revision
  drop constraint document_revision_state_check,
  add constraint document_revision_state_check
    check (state in ('waiting', 'working', 'held', 'current', 'appended', 'superseded', 'failed'));

-- An answer that somebody proposes to a question, until an editor decides; nobody need have asked it.
alter table unanswered_question
  add column proposed_answer text,
  add column proposed_by text,
  add column proposed_at timestamptz,
  add constraint unanswered_question_proposal_check
    check (num_nonnulls(proposed_answer, proposed_by, proposed_at) in (0, 3));
create index unanswered_question_proposed on unanswered_question (agent_id) where proposed_at is not null;

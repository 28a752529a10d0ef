-- Stored questions that were offered for what a user asked. What the user wrote next says which was meant: that is looked up when an
-- operator asks for it. A row goes with its conversation, whoever deletes or redacts that.
create table question_offer (
  agent_id uuid not null,
  conversation_id uuid not null,
  -- Equal for questions that differ in case, width, blanks and punctuation alone.
  question_key bytea not null,
  id uuid not null,
  question text not null,
  -- [{"document_id", "question"}], in the order they were offered.
  offered jsonb not null,
  offered_at timestamptz not null default now(),
  -- Null until it is known.
  chosen_document_id uuid,
  chosen_question text,
  -- It is an alternate of the chosen question.
  approved_at timestamptz,
  primary key (agent_id, conversation_id, question_key)
);
create index question_offer_undecided on question_offer (agent_id, offered_at) where chosen_question is null;
create index question_offer_chosen on question_offer (agent_id, id) where chosen_question is not null;
call signalbox_isolate('question_offer', '', 'select, insert, update, delete');

create function signalbox_forget_offers() returns trigger language plpgsql
as $$
begin
  delete from question_offer where agent_id = old.agent_id and conversation_id = old.id;
  return null;
end $$;
create trigger conversation_deleted after delete on conversation for each row execute function signalbox_forget_offers();
create trigger conversation_redacted after update of redacted_at on conversation for each row
  when (new.redacted_at is not null) execute function signalbox_forget_offers();

-- No role of the service may change a pair. This adds one way to ask it; the caller has locked its document.
create function signalbox_add_alternate(
  base uuid, of_document uuid, of_revision integer, of_ordinal integer, alternate text, new_terms tsvector
) returns void
language sql security definer set search_path = public, pg_temp
as $$
  update qa_pair set alternates = alternates || alternate, terms = new_terms
  where knowledge_base_id = base and document_id = of_document and revision = of_revision and ordinal = of_ordinal
$$;
revoke execute on function signalbox_add_alternate(uuid, uuid, integer, integer, text, tsvector) from public;
grant execute on function signalbox_add_alternate(uuid, uuid, integer, integer, text, tsvector) to signalbox_work;

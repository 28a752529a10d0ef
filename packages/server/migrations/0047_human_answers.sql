-- What was decided about answers of humans that were offered as pairs. The texts stay in the messages: a row holds none of them,
-- and goes with its conversation, whoever deletes or redacts that.
create table human_answer_decision (
  agent_id uuid not null,
  -- The first message of the answer.
  message_id uuid not null,
  conversation_id uuid not null,
  decision text not null check (decision in ('accepted', 'dismissed')),
  decided_at timestamptz not null default now(),
  primary key (agent_id, message_id)
);
create index human_answer_decision_of_conversation on human_answer_decision (agent_id, conversation_id);
create index human_answer_decision_by_age on human_answer_decision (decided_at);
call signalbox_isolate('human_answer_decision', '', 'select, insert, delete');

create function signalbox_forget_human_answers() returns trigger language plpgsql
as $$
begin
  delete from human_answer_decision where agent_id = old.agent_id and conversation_id = old.id;
  return null;
end $$;
create trigger conversation_deleted_answers after delete on conversation for each row execute function signalbox_forget_human_answers();
create trigger conversation_redacted_answers after update of redacted_at on conversation for each row
  when (new.redacted_at is not null) execute function signalbox_forget_human_answers();

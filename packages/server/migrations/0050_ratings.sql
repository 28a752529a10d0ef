-- What users thought of an answer of the agent (message_id) or of a whole conversation, which is that with its last human where there
-- was one (handoff_id). Of what was said a row holds the user's comment alone; it goes with its conversation.
create table conversation_rating (
  agent_id uuid not null,
  id uuid not null,
  conversation_id uuid not null,
  message_id uuid,
  handoff_id uuid,
  -- The user's message that a rated answer replied to.
  question_id uuid,
  rating text not null check (rating in ('good', 'bad')),
  comment text check (char_length(comment) <= 500),
  -- Since when somebody has taught the agent a better answer, or dismissed the question.
  closed_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (agent_id, id),
  unique nulls not distinct (agent_id, conversation_id, message_id, handoff_id),
  check (message_id is null or handoff_id is null)
);
create index conversation_rating_by_time on conversation_rating (agent_id, created_at);
create index conversation_rating_to_teach on conversation_rating (agent_id, updated_at)
  where rating = 'bad' and question_id is not null and closed_at is null;
call signalbox_isolate('conversation_rating', 'select, insert, update', 'select, update');

create function signalbox_forget_ratings() returns trigger language plpgsql
as $$
begin
  if tg_op = 'DELETE' then
    delete from conversation_rating where agent_id = old.agent_id and conversation_id = old.id;
  else
    update conversation_rating set comment = null where agent_id = new.agent_id and conversation_id = new.id;
  end if;
  return null;
end $$;
create trigger conversation_deleted_ratings after delete on conversation for each row execute function signalbox_forget_ratings();
create trigger conversation_redacted_ratings after update of redacted_at on conversation for each row
  when (new.redacted_at is not null) execute function signalbox_forget_ratings();

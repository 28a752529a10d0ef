/**
 * Triggers that watch a database for what must never be committed, beside the code that is judged: who held control when,
 * and whether anybody spoke who was not to. For the superuser; the service knows nothing of them.
 */
export const HANDOFF_WATCH = `
  create schema watch;
  grant usage on schema watch to public;
  create table watch.control (at bigserial, conversation_id uuid, control text, last_seq bigint);
  create table watch.violation (conversation_id uuid, what text);

  create function watch.note_control() returns trigger language plpgsql security definer as $$ begin
    insert into watch.control (conversation_id, control, last_seq) values (new.id, new.control, new.last_seq);
    return null; end $$;
  create trigger watch_control after update on conversation for each row
    when (old.control is distinct from new.control) execute function watch.note_control();

  -- Numbers of replies and of what they answer are raised by one statement, and by no other.
  create table watch.answered (conversation_id uuid, after_seq bigint, to_seq bigint);
  create function watch.note_answers() returns trigger language plpgsql security definer as $$ begin
    insert into watch.answered values (new.id, old.turn_done_seq, new.turn_done_seq);
    return null; end $$;
  create trigger watch_answers after update on conversation for each row
    when (new.turn_done_seq > old.turn_done_seq and new.last_seq > old.last_seq) execute function watch.note_answers();

  create function watch.judge_message() returns trigger language plpgsql security definer as $$
  declare is_open boolean; begin
    select exists (select from public.handoff h where h.agent_id = new.agent_id and h.conversation_id = new.conversation_id
      and h.state in ('requested', 'connecting', 'active')) into is_open;
    if new.sender = 'ai' and is_open then
      insert into watch.violation values (new.conversation_id, 'the bot spoke while a handoff was open'); end if;
    if new.sender = 'human' and not is_open then
      insert into watch.violation values (new.conversation_id, 'a human spoke without a handoff'); end if;
    return null; end $$;
  create trigger watch_message after insert on message for each row execute function watch.judge_message();

  create function watch.judge_turn() returns trigger language plpgsql security definer as $$ begin
    if new.epoch <> (select epoch from public.conversation where agent_id = new.agent_id and id = new.conversation_id) then
      insert into watch.violation values (new.conversation_id, 'a turn was committed in another epoch than it began in'); end if;
    return null; end $$;
  create trigger watch_turn after update on turn for each row
    when (new.state = 'answered' and old.state <> 'answered') execute function watch.judge_turn();
  create trigger watch_read_turn after insert on turn for each row
    when (new.state = 'answered') execute function watch.judge_turn();

  create function watch.judge_end() returns trigger language plpgsql security definer as $$ begin
    insert into watch.violation values (new.conversation_id, 'a handoff that had ended changed');
    return null; end $$;
  create trigger watch_end after update on handoff for each row
    when (old.state in ('busy', 'closed') and (new.state <> old.state or new.reason <> old.reason))
    execute function watch.judge_end();`;

-- Retention, export and erasure of personal data (ADR 0019). No role of the service may delete a message. The functions below
-- can, each only what it finds to be due: an erasure that an operator asked for, a retention, a grace that has passed.

-- How long an agent's conversations are kept, and what happens to them then; null: as the service says.
alter table agent
  add column retention_days integer check (retention_days between 1 and 3650),
  add column retention_action text check (retention_action in ('delete', 'redact'));

-- A redacted conversation takes no more messages: what is said in it could never expire again.
alter table conversation add column redacted_at timestamptz;
create index conversation_by_user on conversation (agent_id, user_id) where user_id is not null;
drop index conversation_by_anonymous_id;
create index conversation_by_anonymous_id on conversation (agent_id, anonymous_id) where anonymous_id is not null;
create index conversation_by_age on conversation (agent_id, created_at, id) where redacted_at is null;

-- Its conversation was erased: it holds the deliveries that were stopped, without bodies, and the last word to a desk.
alter table lane add column orphaned_at timestamptz;
create index lane_orphaned on lane (orphaned_at) where orphaned_at is not null;

alter table speech add column conversation_id uuid;
create index speech_by_conversation on speech (agent_id, conversation_id);

-- The conversation, or ids derived from the user, that a remembered answer is about.
alter table idempotency add column about uuid[];

-- In which conversations a question was asked, and how often. Questions from before this migration have no row here.
create table unanswered_question_asker (
  agent_id uuid not null,
  conversation_id uuid not null,
  question_key bytea not null,
  asked integer not null default 1,
  primary key (agent_id, conversation_id, question_key)
);
create index unanswered_question_asker_by_question on unanswered_question_asker (agent_id, question_key);
call signalbox_isolate('unanswered_question_asker', '', 'select, insert, update');

-- One erasure, of a user or of a deleted agent. Its steps note in their own transactions how far they came.
create table erasure (
  id uuid primary key,
  agent_id uuid not null,
  scope text not null check (scope in ('user_id', 'anonymous_id', 'agent')),
  -- The id that is being erased: gone with everything else once the erasure is finished.
  subject_id text,
  state text not null default 'running' check (state in ('running', 'finished')),
  -- Conversations that are gone and of which rows are left.
  conversation_ids uuid[] not null default '{}',
  erased jsonb not null default '{}',
  next_step_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  check ((scope <> 'agent' and state = 'running') = (subject_id is not null))
);
create index erasure_running on erasure (next_step_at) where state = 'running';
create unique index erasure_one_of_agent on erasure (agent_id) where scope = 'agent';
create index erasure_by_agent on erasure (agent_id, id);
call signalbox_isolate('erasure', '', 'select, insert, update');

-- Erasures and exports look for a user's bindings too.
grant select on user_binding to signalbox_work;
create policy every_agent on user_binding to signalbox_work using (true) with check (true);

-- What is left of conversations that are gone, so many rows of a table at most, and how many of each that were. `thorough` is for
-- the erasure of a user: it also finds remembered answers, and questions from before their askers were known, by their text.
create function signalbox_erase_rest(of_agent uuid, ids uuid[], most integer, thorough boolean) returns jsonb
language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan
as $$
declare
  lanes uuid[];
  chosen uuid[];
  first_at timestamptz;
  last_at timestamptz;
  keys bytea[];
  n integer;
  more boolean := false;
  counts jsonb := '{}';
begin
  if exists (select from conversation where agent_id = of_agent and id = any(ids)) then
    raise exception 'a conversation that is there is not erased in parts';
  end if;
  -- Rule 9: lanes are locked in the order of their ids.
  lanes := array(select id from lane where agent_id = of_agent and conversation_id = any(ids) order by id for update);

  select array_agg(d.id), min(d.created_at), max(d.created_at), count(*) into chosen, first_at, last_at, n from (
    select id, created_at from delivery where agent_id = of_agent and lane_id = any(lanes)
      and state <> 'pending' and cause is distinct from 'erased' limit most) d;
  more := n >= most;
  counts := counts || jsonb_build_object('deliveries', n);
  if n > 0 then
    delete from attempt where agent_id = of_agent and delivery_id = any(chosen) and started_at >= first_at - interval '1 minute';
    get diagnostics n = row_count;
    counts := counts || jsonb_build_object('attempts', n);
    delete from dead_letter where agent_id = of_agent and delivery_id = any(chosen) and created_at between first_at and last_at;
    delete from delivery where agent_id = of_agent and id = any(chosen) and created_at between first_at and last_at;
  end if;
  -- What was stopped stays without its body, and without what was answered to its attempts.
  select array_agg(d.id), min(d.created_at) into chosen, first_at from delivery d
  where agent_id = of_agent and lane_id = any(lanes) and cause = 'erased';
  if chosen is not null then
    delete from attempt where agent_id = of_agent and delivery_id = any(chosen) and started_at >= first_at - interval '1 minute';
  end if;

  if thorough then
    delete from idempotency where agent_id = of_agent and about && ids;
    get diagnostics n = row_count;
    counts := counts || jsonb_build_object('remembered_answers', n);
    delete from unanswered_question q where q.agent_id = of_agent
      and q.question = any(array(select left(m.text, 2000) from message m
        where m.agent_id = of_agent and m.conversation_id = any(ids) and m.sender = 'user'))
      and not exists (select from unanswered_question_asker a where a.agent_id = of_agent and a.question_key = q.question_key);
  end if;

  with gone as (
    delete from unanswered_question_asker where agent_id = of_agent and conversation_id = any(ids) returning question_key, asked
  ),
  counted as (select question_key, sum(asked) as asked from gone group by question_key),
  lowered as (
    update unanswered_question q set asked = greatest(q.asked - counted.asked, 1) from counted
    where q.agent_id = of_agent and q.question_key = counted.question_key
  )
  select array_agg(question_key) into keys from counted;
  -- A statement of its own, which sees who is left: what others asked too stays.
  delete from unanswered_question q where q.agent_id = of_agent and q.question_key = any(keys)
    and not exists (select from unanswered_question_asker a where a.agent_id = of_agent and a.question_key = q.question_key);
  get diagnostics n = row_count;
  counts := counts || jsonb_build_object('unanswered_questions', n);

  delete from speech where agent_id = of_agent and conversation_id = any(ids);
  get diagnostics n = row_count;
  counts := counts || jsonb_build_object('speech', n);
  delete from handoff where agent_id = of_agent and conversation_id = any(ids);
  get diagnostics n = row_count;
  counts := counts || jsonb_build_object('handoffs', n);
  delete from turn where agent_id = of_agent and conversation_id = any(ids)
    and ctid = any(array(select ctid from turn where agent_id = of_agent and conversation_id = any(ids) limit most));
  get diagnostics n = row_count;
  more := more or n >= most;
  delete from message where agent_id = of_agent and conversation_id = any(ids)
    and ctid = any(array(select ctid from message where agent_id = of_agent and conversation_id = any(ids) limit most));
  get diagnostics n = row_count;
  more := more or n >= most;
  counts := counts || jsonb_build_object('messages', n);

  if not more then
    delete from lane l where l.agent_id = of_agent and l.id = any(lanes) and l.state = 'idle'
      and not exists (select from delivery d where d.agent_id = of_agent and d.lane_id = l.id);
  end if;
  return counts || jsonb_build_object('more', more);
end $$;

-- Takes away one conversation of the user whom an erasure is about; what is left of it goes in parts. The caller has locked it,
-- ended its handoff and stopped its deliveries, in the same transaction.
create function signalbox_erase_conversation(of_erasure uuid, of_conversation uuid) returns boolean
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  target erasure;
begin
  select * into target from erasure where id = of_erasure and state = 'running' for update;
  delete from conversation where agent_id = target.agent_id and id = of_conversation
    and case target.scope when 'user_id' then user_id = target.subject_id when 'anonymous_id' then anonymous_id = target.subject_id end;
  if not found then return false; end if;
  update lane set orphaned_at = now() where agent_id = target.agent_id and conversation_id = of_conversation;
  update erasure set conversation_ids = conversation_ids || of_conversation where id = of_erasure;
  return true;
end $$;

-- The last step of a user's erasure: whom an anonymous id stood for, the answers remembered about the user, and the user's id itself.
-- False while there are conversations.
create function signalbox_finish_erasure(of_erasure uuid, subjects uuid[]) returns boolean
language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan
as $$
declare
  target erasure;
  bindings integer;
  answers integer;
begin
  select * into target from erasure where id = of_erasure and state = 'running' and scope <> 'agent' for update;
  if not found or cardinality(target.conversation_ids) > 0
    or exists (select from conversation where agent_id = target.agent_id and target.scope = 'user_id' and user_id = target.subject_id)
    or exists (select from conversation where agent_id = target.agent_id and target.scope = 'anonymous_id' and anonymous_id = target.subject_id)
  then return false; end if;
  delete from user_binding where agent_id = target.agent_id
    and case target.scope when 'user_id' then user_id = target.subject_id else anonymous_id = target.subject_id end;
  get diagnostics bindings = row_count;
  delete from idempotency where agent_id = target.agent_id and about && subjects;
  get diagnostics answers = row_count;
  update erasure set state = 'finished', subject_id = null, finished_at = now(),
    erased = erased || jsonb_build_object('bindings', bindings,
      'remembered_answers', coalesce((erased->>'remembered_answers')::integer, 0) + answers)
  where id = of_erasure;
  return true;
end $$;

-- Conversations of one agent in which nobody spoke for so many days, oldest first: one batch, behind where the last one ended.
-- One that is open stays: a person has it, an answer is due, or a delivery waits.
create function signalbox_expire_conversations(
  of_agent uuid, days integer, redacts boolean, after_at timestamptz, after_id uuid, most integer,
  out looked integer, out expired integer, out last_at timestamptz, out last_id uuid
) language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan
as $$
declare
  cutoff timestamptz := now() - make_interval(days => days);
  candidates uuid[];
  ids uuid[];
  lanes uuid[];
begin
  if days < 1 then
    raise exception 'no conversation expires before it is a day old';
  end if;
  -- However long conversations are, a batch stays small: it ends with the one that has its 20,000th message.
  select array_agg(c.id), count(*), (array_agg(c.created_at order by c.created_at desc, c.id desc))[1],
    (array_agg(c.id order by c.created_at desc, c.id desc))[1]
  into candidates, looked, last_at, last_id from (
    select id, created_at, sum(last_seq) over (order by created_at, id) - last_seq as before from (
      select id, created_at, last_seq from conversation
      where agent_id = of_agent and redacted_at is null and created_at < cutoff and (created_at, id) > (after_at, after_id)
      order by created_at, id limit most) oldest) c
  where c.before < 20000;
  -- One that changes while its lock is waited for is seen as it is then: its last message is another, and not that old.
  ids := array(select c.id from conversation c
    where c.agent_id = of_agent and c.id = any(candidates) and c.redacted_at is null and c.control = 'bot' and not c.turn_awake
      and (c.last_seq = 0 or exists (select from message m
        where m.agent_id = of_agent and m.conversation_id = c.id and m.seq = c.last_seq and m.created_at < cutoff))
      and not exists (select from lane l where l.agent_id = of_agent and l.conversation_id = c.id and l.state <> 'idle')
    order by c.id for update skip locked);
  expired := cardinality(ids);
  if expired = 0 then return; end if;
  if not redacts then
    delete from conversation where agent_id = of_agent and id = any(ids);
    perform signalbox_erase_rest(of_agent, ids, 2147483647, false);
    return;
  end if;
  update conversation set redacted_at = now(), user_id = null, anonymous_id = null, follows_binding = false, email = null,
    phone = null, away_component_id = null
  where agent_id = of_agent and id = any(ids);
  update message set text = '', attachments = null, client_id = null, answer_with = null, reply_hash = null
  where agent_id = of_agent and conversation_id = any(ids);
  lanes := array(select id from lane where agent_id = of_agent and conversation_id = any(ids));
  update attempt set response_body = null where agent_id = of_agent and response_body is not null
    and delivery_id = any(array(select id from delivery where agent_id = of_agent and lane_id = any(lanes)));
  update delivery set body = '' where agent_id = of_agent and lane_id = any(lanes);
  delete from speech where agent_id = of_agent and conversation_id = any(ids);
  delete from unanswered_question_asker where agent_id = of_agent and conversation_id = any(ids);
end $$;

-- What users asked of an agent and nobody has asked again for so many days.
create function signalbox_expire_questions(of_agent uuid, days integer) returns integer
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  expired integer;
begin
  if days < 1 then
    raise exception 'no question expires before it is a day old';
  end if;
  with gone as (
    delete from unanswered_question where agent_id = of_agent and last_asked_at < now() - make_interval(days => days)
    returning question_key
  ),
  askers_gone as (
    delete from unanswered_question_asker a using gone where a.agent_id = of_agent and a.question_key = gone.question_key
  )
  select count(*) into expired from gone;
  return expired;
end $$;

-- Lanes that outlived their conversations, once nobody needs to see any more what was stopped in them.
create function signalbox_drop_orphaned_lanes(retention_days integer, most integer) returns integer
language plpgsql security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan
as $$
declare
  lanes uuid[];
  chosen uuid[];
begin
  if retention_days < 1 then
    raise exception 'nothing is dropped before it is a day old';
  end if;
  lanes := array(select id from lane where orphaned_at < now() - make_interval(days => retention_days) and state = 'idle'
    order by id limit most for update skip locked);
  if cardinality(lanes) = 0 then return 0; end if;
  chosen := array(select d.id from lane l join delivery d on d.agent_id = l.agent_id and d.lane_id = l.id where l.id = any(lanes));
  delete from attempt where delivery_id = any(chosen) and agent_id in (select agent_id from lane where id = any(lanes));
  delete from dead_letter where delivery_id = any(chosen) and agent_id in (select agent_id from lane where id = any(lanes));
  delete from delivery where id = any(chosen);
  delete from lane where id = any(lanes);
  return cardinality(lanes);
end $$;

-- Deletes so many rows at most of an agent whose grace has passed, from every table that has an agent, those that others refer to
-- last. A table that is new is found by itself. What was recorded of changes and of erasures stays.
create function signalbox_purge_agent(of_erasure uuid, grace_days integer, most integer) returns jsonb
language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '5s'
as $$
declare
  target erasure;
  bases uuid[];
  place record;
  rows_left integer := most;
  n integer;
begin
  select * into target from erasure where id = of_erasure and state = 'running' and scope = 'agent' for update;
  if not found or not exists (select from agent where id = target.agent_id and id <> '00000000-0000-0000-0000-000000000000'
    and deleted_at <= now() - make_interval(days => grace_days)) then
    raise exception 'the grace of this agent has not passed';
  end if;
  bases := array(select id from knowledge_base where agent_id = target.agent_id);
  for place in select c.oid::regclass::text as name from pg_class c, unnest(bases) base
    where c.relkind = 'i' and starts_with(c.relname, 'qa_embedding_hnsw_' || replace(base::text, '-', '') || '_')
  loop
    execute format('drop index %s', place.name);
  end loop;
  for place in
    with recursive having_agent as (
      select c.oid, c.relkind from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'agent_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname not in ('audit', 'erasure')
    ),
    referred(oid, depth) as (
      select oid, 0 from having_agent
      union all
      select r.confrelid, referred.depth + 1 from referred join pg_constraint r on r.conrelid = referred.oid and r.contype = 'f'
        and r.confrelid <> r.conrelid
    )
    select part.relid::regclass::text as name,
      exists (select from pg_attribute b where b.attrelid = h.oid and b.attname = 'knowledge_base_id') as has_base
    from having_agent h, lateral (select max(depth) as depth from referred r where r.oid = h.oid) d,
      -- A table without partitions is no tree.
      lateral (select h.oid as relid where h.relkind = 'r'
        union all select relid::oid from pg_partition_tree(h.oid) where isleaf and h.relkind = 'p') part
    order by d.depth, part.relid
  loop
    execute format('delete from %1$s where ctid = any(array(select ctid from %1$s where agent_id = $1 %2$s limit $3)) and agent_id = $1',
      place.name, case when place.has_base then 'and knowledge_base_id = any($2)' else '' end)
    using target.agent_id, bases, rows_left;
    get diagnostics n = row_count;
    rows_left := rows_left - n;
    if rows_left <= 0 then exit; end if;
  end loop;
  if rows_left > 0 then
    delete from agent where id = target.agent_id;
    update erasure set state = 'finished', finished_at = now() where id = of_erasure;
  end if;
  update erasure set erased = jsonb_build_object('rows', coalesce((erased->>'rows')::bigint, 0) + most - rows_left) where id = of_erasure;
  return jsonb_build_object('rows', most - rows_left, 'more', rows_left <= 0);
end $$;

do $$
declare
  function regprocedure;
begin
  foreach function in array array[
    'signalbox_erase_rest(uuid, uuid[], integer, boolean)', 'signalbox_erase_conversation(uuid, uuid)',
    'signalbox_finish_erasure(uuid, uuid[])', 'signalbox_expire_questions(uuid, integer)',
    'signalbox_expire_conversations(uuid, integer, boolean, timestamptz, uuid, integer)',
    'signalbox_drop_orphaned_lanes(integer, integer)', 'signalbox_purge_agent(uuid, integer, integer)']::regprocedure[]
  loop
    execute format('revoke execute on function %s from public', function);
    execute format('grant execute on function %s to signalbox_work', function);
  end loop;
end $$;

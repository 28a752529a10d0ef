-- Short words that a team sorts its pairs by. They stand among the terms too, each as a lexeme of its own, so that the one index
-- finds them.
alter table qa_pair add column tags text[] not null default '{}';
alter table qa_pair_version add column tags text[] not null default '{}';

-- No role of the service may change a pair. This can change its tags, in the content that readers see; texts and vectors stay.
create function signalbox_tag_pair(
  of_agent uuid, of_document uuid, of_revision integer, of_ordinal integer, new_tags text[], old_lexemes text[], new_lexemes tsvector
) returns integer
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  base uuid;
  tagged integer;
begin
  select d.knowledge_base_id into base from document d
  where d.agent_id = of_agent and d.id = of_document and d.current_revision = of_revision and d.deleted_at is null
  for update;
  if not found then return 0; end if;
  update qa_pair set tags = new_tags, terms = ts_delete(terms, old_lexemes) || new_lexemes
  where knowledge_base_id = base and document_id = of_document and revision = of_revision and ordinal = of_ordinal;
  get diagnostics tagged = row_count;
  return tagged;
end $$;
revoke execute on function signalbox_tag_pair(uuid, uuid, integer, integer, text[], text[], tsvector) from public;
grant execute on function signalbox_tag_pair(uuid, uuid, integer, integer, text[], text[], tsvector) to signalbox_work;

-- As before, with tags.
create or replace function signalbox_archive_revision(of_agent uuid, of_document uuid, of_revision integer) returns integer
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  base uuid;
  archived integer;
begin
  select d.knowledge_base_id into base
  from document d join document_revision r on r.agent_id = d.agent_id and r.document_id = d.id and r.revision = of_revision
  where d.agent_id = of_agent and d.id = of_document and d.deleted_at is null and d.current_revision <> of_revision
    and r.swept_at is null and r.state = 'superseded'
  for update of d;
  if not found then return 0; end if;
  insert into archived_content (agent_id, document_id, revision, part, pairs)
  select of_agent, of_document, of_revision, place / 1000, jsonb_agg(
      jsonb_build_object('question', question, 'answer', answer, 'alternates', alternates, 'tags', tags, 'origin', origin, 'source', source)
      order by ordinal)
  from (
    select p.*, (row_number() over (order by ordinal) - 1)::integer as place from qa_pair p
    where knowledge_base_id = base and document_id = of_document and revision = of_revision) numbered
  group by place / 1000
  on conflict do nothing;
  get diagnostics archived = row_count;
  delete from archived_content where agent_id = of_agent and document_id = of_document and revision not in (
    select distinct revision from archived_content where agent_id = of_agent and document_id = of_document
    order by revision desc limit 10);
  return archived;
end $$;

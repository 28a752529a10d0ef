-- The pairs of contents that were replaced, out of the index of searches, so that one can be restored. A row holds up to a
-- thousand of them, in order.
create table archived_content (
  agent_id uuid not null,
  document_id uuid not null,
  revision integer not null,
  part integer not null,
  pairs jsonb not null,
  archived_at timestamptz not null default now(),
  primary key (agent_id, document_id, revision, part)
);
create index archived_content_by_age on archived_content (archived_at);
call signalbox_isolate('archived_content', '', 'select, delete');

-- restored_revision: whose pairs this one brings back.
alter table document_revision
  drop constraint document_revision_reading_check,
  add constraint document_revision_reading_check check (reading in ('text', 'pairs', 'convert', 'by_type', 'restore')),
  add column restored_revision integer;

-- Keeps the pairs of a content that was replaced; of each document the last ten. Twice is no mistake.
create function signalbox_archive_revision(of_agent uuid, of_document uuid, of_revision integer) returns integer
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
      jsonb_build_object('question', question, 'answer', answer, 'alternates', alternates, 'origin', origin, 'source', source)
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
revoke execute on function signalbox_archive_revision(uuid, uuid, integer) from public;
grant execute on function signalbox_archive_revision(uuid, uuid, integer) to signalbox_work;

-- As before, and keeps the pairs of a content that was replaced. Those of a deleted document go with it.
create or replace function signalbox_sweep_revision(of_agent uuid, of_document uuid, of_revision integer) returns integer
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  base uuid;
  is_deleted boolean;
  swept integer;
begin
  -- Under the document's lock the pointer cannot move to what is being swept.
  select d.knowledge_base_id, d.deleted_at is not null into base, is_deleted
  from document d join document_revision r on r.agent_id = d.agent_id and r.document_id = d.id and r.revision = of_revision
  where d.agent_id = of_agent and d.id = of_document and r.swept_at is null
    and (d.deleted_at is not null or (d.current_revision <> of_revision and r.state in ('superseded', 'failed')))
  for update of d;
  if not found then return 0; end if;
  if is_deleted then
    delete from archived_content where agent_id = of_agent and document_id = of_document;
  else
    perform signalbox_archive_revision(of_agent, of_document, of_revision);
  end if;
  delete from qa_pair where knowledge_base_id = base and document_id = of_document and revision = of_revision;
  get diagnostics swept = row_count;
  if to_regclass('qa_embedding') is not null then
    execute 'delete from qa_embedding where knowledge_base_id = $1 and document_id = $2 and revision = $3'
      using base, of_document, of_revision;
  end if;
  delete from qa_pair_version where agent_id = of_agent and document_id = of_document and revision = of_revision;
  update document_revision set swept_at = now(), statistics = null,
    refused_rows = case when is_deleted then null else refused_rows end
  where agent_id = of_agent and document_id = of_document and revision = of_revision;
  return swept;
end $$;

-- What pairs said that were edited one by one. A pair is known by its place in a content of its document; its first version is
-- kept when it is edited for the first time, so that an import writes none.
create table qa_pair_version (
  agent_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  revision integer not null,
  ordinal integer not null,
  version integer not null,
  change text not null check (change in ('imported', 'added', 'changed', 'deleted', 'restored')),
  question text not null,
  answer text not null,
  alternates text[] not null,
  -- Who made it, as the audit names them; null for what was imported.
  actor text,
  actor_id uuid,
  actor_name text,
  created_at timestamptz not null default now(),
  primary key (agent_id, document_id, revision, ordinal, version)
);
call signalbox_isolate('qa_pair_version', 'select', 'select, insert');

-- edits: for how many edited pairs the word counts of this row speak, beside those it added.
-- changed_ordinals: pairs up to embedded_through whose vectors went with their old texts.
alter table document_revision
  add column edits integer not null default 0,
  add column changed_ordinals integer[] not null default '{}';

-- No role of the service may delete a pair. This can, in the content that readers see and with its vectors: the next statement of
-- the same transaction writes its new texts, if it has any.
create function signalbox_delete_pair(of_agent uuid, of_document uuid, of_revision integer, of_ordinal integer) returns integer
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  base uuid;
  deleted integer;
begin
  select d.knowledge_base_id into base from document d
  where d.agent_id = of_agent and d.id = of_document and d.current_revision = of_revision and d.deleted_at is null
  for update;
  if not found then return 0; end if;
  delete from qa_pair where knowledge_base_id = base and document_id = of_document and revision = of_revision and ordinal = of_ordinal;
  get diagnostics deleted = row_count;
  if to_regclass('qa_embedding') is not null then
    execute 'delete from qa_embedding where knowledge_base_id = $1 and document_id = $2 and revision = $3 and ordinal = $4'
      using base, of_document, of_revision, of_ordinal;
  end if;
  return deleted;
end $$;
revoke execute on function signalbox_delete_pair(uuid, uuid, integer, integer) from public;
grant execute on function signalbox_delete_pair(uuid, uuid, integer, integer) to signalbox_work;

-- Another way to ask a pair is an edit like any other now.
drop function signalbox_add_alternate(uuid, uuid, integer, integer, text, tsvector);

-- As before, and with the versions of the content's pairs.
create or replace function signalbox_sweep_revision(of_agent uuid, of_document uuid, of_revision integer) returns integer
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  base uuid;
  swept integer;
begin
  -- Under the document's lock the pointer cannot move to what is being swept.
  select d.knowledge_base_id into base
  from document d join document_revision r on r.agent_id = d.agent_id and r.document_id = d.id and r.revision = of_revision
  where d.agent_id = of_agent and d.id = of_document and r.swept_at is null
    and (d.deleted_at is not null or (d.current_revision <> of_revision and r.state in ('superseded', 'failed')))
  for update of d;
  if not found then return 0; end if;
  delete from qa_pair where knowledge_base_id = base and document_id = of_document and revision = of_revision;
  get diagnostics swept = row_count;
  if to_regclass('qa_embedding') is not null then
    execute 'delete from qa_embedding where knowledge_base_id = $1 and document_id = $2 and revision = $3'
      using base, of_document, of_revision;
  end if;
  delete from qa_pair_version where agent_id = of_agent and document_id = of_document and revision = of_revision;
  update document_revision set swept_at = now(), statistics = null
  where agent_id = of_agent and document_id = of_document and revision = of_revision;
  return swept;
end $$;

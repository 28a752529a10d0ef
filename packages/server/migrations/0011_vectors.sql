-- Vectors are kept where PostgreSQL has pgvector. Where it has not, everything else works and search is by words alone; once the
-- extension is there, the next run of the migrate role makes the table.
create procedure signalbox_enable_vectors() language plpgsql
as $$
begin
  if to_regclass('qa_embedding') is not null then return; end if;
  if to_regtype('halfvec') is null then
    begin
      create extension if not exists vector;
    exception when others then
      raise notice 'pgvector is not there: search will be by words alone';
      return;
    end;
  end if;
  if to_regtype('halfvec') is null then return; end if;
  -- form: 0 the question, 1 and more its alternates, -1 the answer
  create table qa_embedding (
    agent_id uuid not null,
    knowledge_base_id uuid not null,
    document_id uuid not null,
    revision integer not null,
    ordinal integer not null,
    form integer not null,
    model text not null,
    vector halfvec not null,
    primary key (knowledge_base_id, document_id, revision, ordinal, form)
  ) partition by hash (knowledge_base_id);
  alter table qa_embedding alter column vector set storage main;
  call signalbox_partition_by_hash('qa_embedding');
  call signalbox_isolate('qa_embedding', 'select', 'select, insert');
end $$;
call signalbox_enable_vectors();

-- A base too large to be scanned gets an index of its own. Building one blocks the writing of vectors in its partition, never reading.
create function signalbox_index_vectors(base uuid, dimensions integer) returns boolean
language plpgsql security definer set search_path = public, pg_temp
as $$
declare
  name text := 'qa_embedding_hnsw_' || replace(base::text, '-', '');
begin
  if to_regclass(name) is not null or dimensions not between 1 and 4000 then return false; end if;
  execute format(
    'create index %I on %s using hnsw ((vector::halfvec(%s)) halfvec_cosine_ops) where knowledge_base_id = %L',
    name, signalbox_partition_of('qa_embedding', base), dimensions, base);
  return true;
end $$;
revoke execute on function signalbox_index_vectors(uuid, integer) from public;
grant execute on function signalbox_index_vectors(uuid, integer) to signalbox_work;

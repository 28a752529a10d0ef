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
  call signalbox_isolate('qa_embedding', 'select, insert', 'select, insert, update');
end $$;
call signalbox_enable_vectors();

-- Pairs that a new revision took over unchanged keep their vectors: they are there before the pointer moves. While an index of
-- vectors is being built nobody can write any: then they are made anew, which costs more and keeps no caller waiting.
create function signalbox_keep_vectors(of_base uuid, of_document uuid, from_revision integer, to_revision integer) returns integer
language plpgsql set lock_timeout = '1s'
as $$
declare
  kept integer;
begin
  if to_regclass('qa_embedding') is null then return 0; end if;
  execute 'select 1 from qa_embedding where knowledge_base_id = $1 and document_id = $2 and revision = $3 limit 1'
    into kept using of_base, of_document, from_revision;
  if kept is null then return 0; end if;
  execute $keep$
    insert into qa_embedding (agent_id, knowledge_base_id, document_id, revision, ordinal, form, model, vector)
    select e.agent_id, e.knowledge_base_id, e.document_id, $4, n.ordinal, e.form, e.model, e.vector
    from qa_pair o
      join qa_pair n on n.question = o.question and n.answer = o.answer and n.alternates = o.alternates
      join qa_embedding e on e.document_id = o.document_id and e.revision = o.revision and e.ordinal = o.ordinal
    where o.knowledge_base_id = $1 and o.document_id = $2 and o.revision = $3
      and n.knowledge_base_id = $1 and n.document_id = $2 and n.revision = $4
      and e.knowledge_base_id = $1
    on conflict do nothing
  $keep$ using of_base, of_document, from_revision, to_revision;
  execute 'select count(*) from qa_embedding where knowledge_base_id = $1 and document_id = $2 and revision = $3 and form = 0'
    into kept using of_base, of_document, to_revision;
  return kept;
exception when lock_not_available then
  return 0;
end $$;

-- A base too large to be scanned gets an index of its own, for the model and length its vectors have now: a vector of another
-- model is no part of it, and the index of the model before goes. Building it blocks writers of its partition, never readers.
create function signalbox_index_vectors(base uuid, of_model text, dimensions integer) returns boolean
language plpgsql security definer set search_path = public, pg_temp set maintenance_work_mem = '256MB'
as $$
declare
  prefix text := 'qa_embedding_hnsw_' || replace(base::text, '-', '') || '_';
  name text := prefix || left(md5(of_model || ' ' || dimensions), 8);
  outdated text;
begin
  if to_regclass(name) is not null or dimensions not between 1 and 4000 then return false; end if;
  for outdated in select relname from pg_class where relkind = 'i' and starts_with(relname, prefix) loop
    execute format('drop index %I', outdated);
  end loop;
  execute format(
    'create index %I on %s using hnsw ((vector::halfvec(%s)) halfvec_cosine_ops)
     where knowledge_base_id = %L and model = %L and vector_dims(vector) = %s',
    name, signalbox_partition_of('qa_embedding', base), dimensions, base, of_model, dimensions);
  return true;
end $$;
revoke execute on function signalbox_index_vectors(uuid, text, integer) from public;
grant execute on function signalbox_index_vectors(uuid, text, integer) to signalbox_work;

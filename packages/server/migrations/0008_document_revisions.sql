-- Raised by every change of what the base's readers see: what was worked out for an older version is looked up anew.
alter table knowledge_base add column version bigint not null default 0;
grant update (version) on knowledge_base to signalbox_api, signalbox_work;

-- Numbers are handed out when an update is accepted; the highest that is complete is the one readers see.
alter table document
  add column last_revision integer not null default 0,
  add column deleted_at timestamptz;
update document set last_revision = current_revision;
drop index document_by_base;
create index document_by_base on document (agent_id, knowledge_base_id, id) where deleted_at is null;

alter table qa_pair
  add column alternates text[] not null default '{}',
  add column origin text not null default 'row'
    check (origin in ('row', 'faq', 'heading', 'first_sentence', 'model')),
  add column source jsonb;

-- One content of a document, from its acceptance on: what it is made of, how far it is, and what came of it.
create table document_revision (
  agent_id uuid not null,
  document_id uuid not null,
  revision integer not null,
  -- The key of its ingest.
  id uuid not null,
  knowledge_base_id uuid not null,
  -- The call it came with, and its place among that call's files.
  import_id uuid not null,
  position integer not null default 0,
  reading text not null check (reading in ('text', 'pairs', 'convert', 'by_type')),
  state text not null check (state in ('waiting', 'working', 'current', 'superseded', 'failed')),
  file_name text,
  source_url text,
  header_row integer,
  chunk_token integer,
  splitter text,
  attempts integer not null default 0,
  beat_at timestamptz not null default now(),
  rows_read integer not null default 0,
  pairs integer not null default 0,
  rejected integer not null default 0,
  duplicates integer not null default 0,
  blank integer not null default 0,
  conflicts integer not null default 0,
  characters bigint not null default 0,
  chunks_total integer not null default 0,
  chunks_done integer not null default 0,
  chunks_failed integer not null default 0,
  unsupported integer not null default 0,
  prompt_tokens bigint not null default 0,
  completion_tokens bigint not null default 0,
  -- How the file was read, its problems and, of a failed one, the cause.
  report jsonb not null default '{}',
  -- Word counts of this content, for scoring: see knowledge/retrieval.
  statistics text,
  terms_version integer not null,
  -- The model its vectors were made with once all of them are there, and how many pairs have theirs.
  embedded_with text,
  vectors integer,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  swept_at timestamptz,
  primary key (agent_id, document_id, revision),
  unique (agent_id, id),
  foreign key (agent_id, document_id) references document (agent_id, id),
  -- Whatever a file held is accounted for.
  check (state not in ('current', 'superseded') or rows_read = pairs + rejected + duplicates + blank)
);
create unique index document_revision_one_current on document_revision (agent_id, document_id) where state = 'current';
create index document_revision_by_import on document_revision (agent_id, import_id);
create index document_revision_unfinished on document_revision (beat_at) where state in ('waiting', 'working');
create index document_revision_unswept on document_revision (finished_at)
  where swept_at is null and state in ('superseded', 'failed');
create index document_revision_without_vectors on document_revision (agent_id, id)
  where state = 'current' and embedded_with is null;
create index document_revision_by_base on document_revision (agent_id, knowledge_base_id) where state = 'current';
call signalbox_isolate('document_revision', 'select, insert, update', 'select, insert, update');

insert into document_revision
  (agent_id, document_id, revision, id, knowledge_base_id, import_id, reading, state, rows_read, pairs, characters, terms_version, finished_at)
select d.agent_id, d.id, d.current_revision, gen_random_uuid(), d.knowledge_base_id, d.id, 'text', 'current', p.pairs, p.pairs, p.characters,
  1, d.updated_at
from document d, lateral (
  select count(*)::integer as pairs, coalesce(sum(length(question) + length(answer)), 0) as characters from qa_pair p
  where p.knowledge_base_id = d.knowledge_base_id and p.document_id = d.id and p.revision = d.current_revision) p
where d.current_revision > 0;

-- A document on its way to becoming pairs: pieces of its text, and the pairs found in it as they stand (ordinal 0).
create table ingest_chunk (
  agent_id uuid not null,
  ingest_id uuid not null,
  ordinal integer not null,
  text text not null,
  heading_path text[] not null,
  page integer,
  tokens integer not null,
  chunk_hash bytea not null,
  pairs jsonb,
  primary key (agent_id, ingest_id, ordinal)
);
call signalbox_isolate('ingest_chunk', '', 'select, insert, delete');

-- What a model made of a piece of text. It is kept from revision to revision: text that did not change is not paid for again.
create table chunk_result (
  agent_id uuid not null,
  document_id uuid not null,
  chunk_hash bytea not null,
  prompt text not null,
  model text not null,
  revision integer not null,
  pairs jsonb not null,
  unsupported integer not null,
  failure text,
  prompt_tokens integer not null,
  completion_tokens integer not null,
  created_at timestamptz not null default now(),
  primary key (agent_id, document_id, chunk_hash, prompt, model)
);
call signalbox_isolate('chunk_result', '', 'select, insert, update, delete');

-- COPY does not work on a table with row-level security, only on its partitions, which have none of their own.
-- The work role crosses agents anyway, and a partition takes no row that belongs into another.
do $$
begin
  for remainder in 0..63 loop
    execute format('grant insert on qa_pair_%s to signalbox_work', lpad(remainder::text, 2, '0'));
  end loop;
end $$;

create function signalbox_partition_of(target regclass, knowledge_base_id uuid) returns regclass
language sql stable
as $$
  select i.inhrelid::regclass from generate_series(0, 63) remainder
  join pg_inherits i on i.inhparent = target
  join pg_class c on c.oid = i.inhrelid and c.relname like '%\_' || lpad(remainder::text, 2, '0')
  where satisfies_hash_partition(target, 64, remainder, knowledge_base_id)
$$;

-- What a large import added waits in a list that every search would read to its end; this puts it where it belongs.
create function signalbox_settle_terms(knowledge_base_id uuid) returns bigint
language sql security definer set search_path = public, pg_temp
as $$
  select gin_clean_pending_list(x.indexrelid::regclass)
  from pg_index x join pg_class c on c.oid = x.indexrelid join pg_am a on a.oid = c.relam
  where x.indrelid = signalbox_partition_of('qa_pair', knowledge_base_id) and a.amname = 'gin'
$$;
revoke execute on function signalbox_settle_terms(uuid) from public;
grant execute on function signalbox_settle_terms(uuid) to signalbox_work;

-- No role of the service may delete a pair. This can, and only where no reader can come: a revision that ended without being
-- current, or a deleted document's.
create function signalbox_sweep_revision(of_agent uuid, of_document uuid, of_revision integer) returns integer
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
  update document_revision set swept_at = now(), statistics = null
  where agent_id = of_agent and document_id = of_document and revision = of_revision;
  return swept;
end $$;
revoke execute on function signalbox_sweep_revision(uuid, uuid, integer) from public;
grant execute on function signalbox_sweep_revision(uuid, uuid, integer) to signalbox_work;

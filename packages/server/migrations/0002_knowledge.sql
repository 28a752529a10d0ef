create table knowledge_base (
  id uuid primary key,
  agent_id uuid not null references agent (id),
  name text not null,
  description text not null default '',
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  unique (agent_id, id)
);
create unique index knowledge_base_one_default on knowledge_base (agent_id) where is_default;
call signalbox_isolate('knowledge_base', 'select, insert', 'select, insert');

create table document (
  id uuid primary key,
  agent_id uuid not null,
  knowledge_base_id uuid not null,
  name text not null,
  purpose text not null check (purpose in ('QA_TEXT', 'QA_FILE', 'FILE_2_QA')),
  current_revision integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (agent_id, id),
  foreign key (agent_id, knowledge_base_id) references knowledge_base (agent_id, id)
);
create index document_by_base on document (agent_id, knowledge_base_id, created_at);
call signalbox_isolate('document', 'select, insert, update', 'select, insert, update');

-- Readers take the pairs of a document's current revision; a revision is never changed once it is current.
create table qa_pair (
  agent_id uuid not null,
  knowledge_base_id uuid not null,
  document_id uuid not null,
  revision integer not null,
  ordinal integer not null,
  question text not null,
  answer text not null,
  terms tsvector not null,
  primary key (knowledge_base_id, document_id, revision, ordinal)
) partition by hash (knowledge_base_id);
-- Each lexeme begins with its base, so a posting list never holds another base's pairs: see knowledge/retrieval.
create index qa_pair_terms on qa_pair using gin (terms);
call signalbox_partition_by_hash('qa_pair');
call signalbox_isolate('qa_pair', 'select, insert', 'select, insert');

-- A file that somebody brings from a browser or a terminal: in parts, until it is imported or a day old.
create table upload (
  agent_id uuid not null,
  id uuid not null,
  file_name text not null,
  size_bytes bigint not null,
  received_bytes bigint not null default 0,
  -- Previews are numbered as they are asked for; the worker makes the last one.
  preview_asked integer not null default 0,
  preview_made integer not null default 0,
  preview_options jsonb,
  preview jsonb,
  preview_attempts integer not null default 0,
  beat_at timestamptz not null default now(),
  imported_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (agent_id, id)
);
create index upload_without_preview on upload (beat_at) where preview_made < preview_asked;
create index upload_by_age on upload (created_at);
call signalbox_isolate('upload', '', 'select, insert, update, delete');

create table upload_part (
  agent_id uuid not null,
  upload_id uuid not null,
  starts_at bigint not null,
  bytes bytea not null,
  primary key (agent_id, upload_id, starts_at)
);
-- Workbooks and documents are compressed already.
alter table upload_part alter column bytes set storage external;
call signalbox_isolate('upload_part', '', 'select, insert, delete');

-- upload_id: the file was uploaded instead of being fetched. columns: those that somebody chose.
-- refused_rows: the first rejected rows, whole, for whoever corrects them.
-- change: what made the revision; actor: who asked for it, as the audit names them, where that is known.
alter table document_revision
  add column upload_id uuid,
  add column columns jsonb,
  add column refused_rows jsonb,
  add column change text not null default 'import' check (change in ('import', 'append', 'edit', 'restore')),
  add column actor text,
  add column actor_id uuid,
  add column actor_name text;
update document_revision set change = 'append' where state = 'appended';

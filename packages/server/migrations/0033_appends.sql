-- An append adds pairs to the content that is there. Its number is kept beside the pointer, so that an import accepted before it does
-- not undo it; a number below current_revision says nothing any more.
alter table document add column extended_revision integer not null default 0;

-- 'appended': its pairs are part of the current content, and the word counts in its row speak for them.
-- What has vectors of which model is known up to an ordinal, so that those of the first pairs are not looked for again.
alter table document_revision
  drop constraint document_revision_state_check,
  add constraint document_revision_state_check
    check (state in ('waiting', 'working', 'current', 'appended', 'superseded', 'failed')),
  drop constraint document_revision_check,
  add constraint document_revision_check
    check (state not in ('current', 'appended', 'superseded') or rows_read = pairs + rejected + duplicates + blank),
  add column embedding_with text,
  add column embedded_through integer not null default 0;

drop index document_revision_by_base;
create index document_revision_by_base on document_revision (agent_id, knowledge_base_id, document_id)
  where state in ('current', 'appended');

-- How many files of an agent wait is counted before it may bring more.
create index document_revision_unfinished_by_agent on document_revision (agent_id) where state in ('waiting', 'working');

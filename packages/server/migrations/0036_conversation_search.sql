-- Operators list conversations of all agents, newest first: ids are ordered by time. Written once a conversation.
create index conversation_by_id on conversation (id);

-- What a message is found by: its words, and each character of a script that writes without blanks, so that a word of two
-- characters is found as a phrase. The test by length spares texts in ASCII the regular expression.
create function signalbox_search_terms(said text) returns tsvector language sql immutable parallel safe
return to_tsvector('pg_catalog.simple'::regconfig, case when octet_length(said) = length(said) then said
  else regexp_replace(said, '([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff])', ' \1 ', 'g') end);

-- New entries go to the pending list, which the leading worker moves into the index (ADR 0023).
create index message_by_terms on message using gin (signalbox_search_terms(text)) with (gin_pending_list_limit = 4096);

create function signalbox_index_messages() returns bigint
language sql security definer set search_path = public, pg_temp
as $$
  select coalesce(sum(gin_clean_pending_list(inhrelid)), 0)::bigint from pg_inherits
  where inhparent = 'message_by_terms'::regclass
$$;
revoke execute on function signalbox_index_messages() from public;
grant execute on function signalbox_index_messages() to signalbox_work;

-- The agent is in the key of each row that belongs to one, so that an agent can move to another database: PostgreSQL replicates
-- changes of chosen rows only if the columns that choose them are in the key (ADR 0050). It stands last: rows are found as before.
set local signalbox.maintenance = on;

-- The zero id stands for the installation.
alter table replay add column agent_id uuid not null default '00000000-0000-0000-0000-000000000000';
update replay set agent_id = (filter ->> 'agent_id')::uuid where filter ->> 'agent_id' is not null;

create procedure signalbox_add_agent_to_key(target text, columns text) language plpgsql
as $$
begin
  if to_regclass(target) is null then return; end if;
  execute format('alter table %I drop constraint %I, add primary key (%s, agent_id)', target, target || '_pkey', columns);
end $$;
call signalbox_add_agent_to_key('account_invitation', 'id');
call signalbox_add_agent_to_key('api_key', 'id');
call signalbox_add_agent_to_key('audit', 'id');
call signalbox_add_agent_to_key('destination', 'id');
call signalbox_add_agent_to_key('document', 'id');
call signalbox_add_agent_to_key('erasure', 'id');
call signalbox_add_agent_to_key('knowledge_base', 'id');
call signalbox_add_agent_to_key('qa_embedding', 'knowledge_base_id, document_id, revision, ordinal, form');
call signalbox_add_agent_to_key('qa_pair', 'knowledge_base_id, document_id, revision, ordinal');
call signalbox_add_agent_to_key('replay', 'id');
call signalbox_add_agent_to_key('webhook', 'id');
drop procedure signalbox_add_agent_to_key;

-- As 0009 has it, with the agent in the key.
create or replace procedure signalbox_enable_vectors() language plpgsql
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
  create table qa_embedding (
    agent_id uuid not null,
    knowledge_base_id uuid not null,
    document_id uuid not null,
    revision integer not null,
    ordinal integer not null,
    form integer not null,
    model text not null,
    vector halfvec not null,
    primary key (knowledge_base_id, document_id, revision, ordinal, form, agent_id)
  ) partition by hash (knowledge_base_id);
  alter table qa_embedding alter column vector set storage main;
  call signalbox_partition_by_hash('qa_embedding');
  call signalbox_isolate('qa_embedding', 'select, insert', 'select, insert, update');
end $$;

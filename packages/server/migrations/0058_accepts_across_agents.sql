-- Messages of several agents are accepted in one transaction, which names each of these agents in signalbox.agent_ids. The api role then
-- sees and writes what an accept needs of them, and of nobody else. One agent at a time stays the rule for everything else (ADR 0038).
-- An id as text is 36 characters without a comma, so it is found in the list only where it stands in it. No list: no row.
create function signalbox_names(agent uuid) returns boolean language sql stable parallel safe
as $$ select strpos(current_setting('signalbox.agent_ids', true), agent::text) > 0 $$;

create policy named_agents on conversation to signalbox_api
  using (signalbox_names(agent_id)) with check (signalbox_names(agent_id));
create policy named_agents on message for insert to signalbox_api with check (signalbox_names(agent_id));
create policy named_agents on webhook for select to signalbox_api using (signalbox_names(agent_id));

-- The api role reads versions and writes none: its policy needs no check of what is written.
drop policy one_agent on qa_pair_version;
create policy one_agent on qa_pair_version to signalbox_api using (agent_id = signalbox_agent());

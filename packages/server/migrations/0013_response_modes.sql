-- Which part of the agent spoke, as in 2.5; null where the sender says it.
alter table message add column branch text check (branch in ('direct', 'model', 'fallback', 'notice'));

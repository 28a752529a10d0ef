-- The pairs that a reply of the agent stands on, as they were then; null where it stands on none.
alter table message add column sources jsonb;

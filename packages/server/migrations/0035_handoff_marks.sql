-- The words of the code: what was forwarded to the desk, and what the desk has acknowledged.
alter table handoff rename column told_seq to forwarded_seq;
alter table handoff rename column heard_seq to acknowledged_seq;

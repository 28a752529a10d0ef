-- The browser's own id of a message: its stream tells it which of its messages this is.
alter table message add column client_id text;

-- Replies of the live channel go to their stream; this webhook wants them too.
alter table webhook add column mirrors_live boolean not null default false;
grant select (mirrors_live) on webhook to signalbox_api;

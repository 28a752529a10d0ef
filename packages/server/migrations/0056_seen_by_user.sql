-- Seen marks: how far the user's page has shown what was said in a chat of the inbox. Raised only.
alter table inbox_talk add column user_seen_seq bigint not null default 0;

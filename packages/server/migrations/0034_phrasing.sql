-- What an agent says to small talk, and which words mean the same to it; null: the service's own.
alter table agent
  add column small_talk jsonb,
  add column synonyms jsonb;

-- Stored questions offered with a reply: a number in the user's next message chooses one.
alter table message add column suggestions text[];

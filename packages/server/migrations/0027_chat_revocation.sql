-- Chat tokens issued up to `not_before` open nothing. The subject is a user, an anonymous id or, when empty, the whole agent.
create table chat_revocation (
  agent_id uuid not null references agent (id),
  subject text not null,
  not_before timestamptz not null,
  primary key (agent_id, subject)
);
call signalbox_isolate('chat_revocation', 'select, insert, update', 'select, insert, update, delete');

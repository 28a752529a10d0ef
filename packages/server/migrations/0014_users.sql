-- Which of the developer's users an anonymous id stands for, on one channel; null once it was let go.
create table user_binding (
  agent_id uuid not null,
  anonymous_id text not null,
  conversation_type text not null,
  source_id text not null,
  user_id text,
  bound_at timestamptz not null default clock_timestamp(),
  primary key (agent_id, anonymous_id, conversation_type, source_id)
);
create index user_binding_by_user on user_binding (agent_id, user_id, bound_at) where user_id is not null;
call signalbox_isolate('user_binding', 'select, insert, update', '');

-- Begun without a user: its user is whoever the anonymous id is bound to.
alter table conversation add column follows_binding boolean not null default false;
create index conversation_by_anonymous_id on conversation (agent_id, anonymous_id) where follows_binding;

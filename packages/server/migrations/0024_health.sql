-- Since when the oldest unanswered message of a conversation waits; health looks for the oldest of all.
alter table conversation add column turn_due_since timestamptz not null default now();
drop index conversation_turn_awake;
create index conversation_turn_awake on conversation (turn_due_since) where turn_awake;

-- A worker that ended well counts for no places in flight, and its last heartbeat for as long as any other's.
alter table worker add column stopped_at timestamptz;

-- A handoff also ends when the message webhook is deleted, because a human's replies can then reach nobody.
alter table handoff
  drop constraint handoff_reason_check,
  add constraint handoff_reason_check check (reason in ('refused', 'first_reply', 'human_idle', 'user_idle', 'user_closed',
    'human_closed', 'desk_lost', 'desk_removed', 'webhook_removed', 'message_left'));

-- How a desk is asked, and how long a human has for the first reply, are settings of the component.
alter table webhook
  add column establish_timeout_ms integer not null default 3000,
  add column establish_tries integer not null default 3,
  -- { seconds, warn_seconds }; null: the agent's own.
  add column first_reply jsonb;
grant select (first_reply) on webhook to signalbox_api;

-- A timer may warn more than once: how many of its notices the user has been given.
alter table handoff
  add column timer_warnings integer not null default 0,
  drop column timer_warned;

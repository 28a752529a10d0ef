-- What is limited by the day: see platform/daily-use.ts. A subject is a hash, never a name.
create table daily_use (
  agent_id uuid not null,
  day date not null,
  kind text not null,
  subject text not null,
  used bigint not null,
  primary key (agent_id, day, kind, subject)
);
create index daily_use_by_day on daily_use (day);
call signalbox_isolate('daily_use', '', 'select, insert, update, delete');

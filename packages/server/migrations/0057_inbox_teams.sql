-- Groups of people who answer in an agent's inbox, such as Billing. A chat may wait for one of them.
create table inbox_team (
  agent_id uuid not null,
  id uuid not null,
  name text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (agent_id, id)
);
create unique index inbox_team_by_name on inbox_team (agent_id, lower(name));
call signalbox_isolate('inbox_team', '', 'select, insert, update, delete');

create table inbox_team_member (
  agent_id uuid not null,
  team_id uuid not null,
  account_id uuid not null,
  primary key (agent_id, team_id, account_id)
);
create index inbox_team_member_by_account on inbox_team_member (account_id);
call signalbox_isolate('inbox_team_member', '', 'select, insert, delete');

-- Which team it waits for, or came to; null: everybody.
alter table inbox_talk add column team_id uuid;

-- What the inbox knows of an account goes with it.
grant delete on inbox_presence to signalbox_work;
create function signalbox_forget_answerer() returns trigger language plpgsql
as $$
begin
  delete from inbox_team_member where account_id = new.id;
  delete from inbox_presence where account_id = new.id;
  return null;
end $$;
create trigger account_deleted_answerer after update of deleted_at on account for each row
  when (new.deleted_at is not null) execute function signalbox_forget_answerer();

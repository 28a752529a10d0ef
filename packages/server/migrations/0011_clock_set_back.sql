-- When next_try_at was decided: one that lies in the future shows that the clock was set back since, and that the time of
-- the next try means nothing any more. Lanes and turns show it by their beats.
alter table destination add column scheduled_at timestamptz not null default now();

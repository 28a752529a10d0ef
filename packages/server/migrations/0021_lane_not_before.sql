-- A message left for a desk that is closed waits for its time first, and for the desk from then on. Null: it could go out at once.
alter table lane add column not_before timestamptz;

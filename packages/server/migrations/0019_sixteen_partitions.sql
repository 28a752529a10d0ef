-- A plan for any agent locks every partition of each table it names, with all its indexes, whichever it reads: over 64 that was a
-- fifth of PostgreSQL's CPU time a message and most of a connection's memory (ADR 0018). The names end in 0 to f.
do $$
declare
  parent text;
  former text[];
  name text;
begin
  foreach parent in array array['conversation', 'message', 'turn', 'handoff', 'lane'] loop
    former := array(select inhrelid::regclass::text from pg_inherits where inhparent = parent::regclass);
    foreach name in array former loop
      execute format('alter table %I detach partition %I', parent, name);
    end loop;
    for remainder in 0..15 loop
      name := parent || '_' || to_hex(remainder);
      execute format('create table %I partition of %I for values with (modulus 16, remainder %s)', name, parent, remainder);
      call signalbox_vacuum_rarely(name);
    end loop;
    foreach name in array former loop
      execute format('insert into %I select * from %I', parent, name);
      execute format('drop table %I', name);
    end loop;
  end loop;
end $$;

-- ADR 0024: which call drains a lane, and for how long nobody else may. Not indexed, so that a claim stays an update in place.
alter table lane
  add column held_by uuid,
  add column held_until timestamptz;

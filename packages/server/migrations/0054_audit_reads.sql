-- Whether a read was recorded in the last minutes is asked before each read of what users said.
create index audit_by_subject on audit (subject_id, at);

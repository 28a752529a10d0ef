-- Where the time of an attempt went. On a connection that was reused there was nothing to look up, connect or encrypt.
alter table attempt
  add column dns_ms integer,
  add column connect_ms integer,
  add column tls_ms integer,
  add column first_byte_ms integer;

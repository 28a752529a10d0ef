-- A key pair signs calls beside the shared secret, for receivers that must not hold one. What is sealed is the private key.
alter table webhook
  add column asymmetric_key_sealed bytea,
  add column previous_asymmetric_key_sealed bytea,
  add column public_key text,
  add column cloud_events boolean not null default false,
  add check ((asymmetric_key_sealed is null) = (public_key is null));

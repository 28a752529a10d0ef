-- W3C trace context: what accepts a message, answers it and delivers the answer is one trace.
alter table message add column traceparent text;
alter table attempt add column traceparent text;

-- Which message a delivery carries, and which message of the user that one answers.
alter table delivery
  add column message_id uuid,
  add column in_reply_to uuid,
  add column traceparent text;

-- A message is looked up by the id that its caller was given.
create index message_by_id on message (id);

-- What a caller wants this message's answer to be made with, where that is not the agent's own; the turn may run much later, elsewhere.
alter table message add column answer_with jsonb;

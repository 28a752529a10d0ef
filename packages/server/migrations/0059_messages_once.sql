-- What is written again because the answer to its commit was lost must find itself: an id is stored once. Copies from before keep their
-- place in their conversation, under an id of their own.
update message m set id = gen_random_uuid()
from (
  select agent_id, conversation_id, seq, row_number() over (partition by agent_id, id order by seq) as copy from message
) numbered
where numbered.copy > 1 and m.agent_id = numbered.agent_id and m.conversation_id = numbered.conversation_id and m.seq = numbered.seq;

-- Led by the id, like the index that it replaces: a message is looked up by the id that its caller was given.
create unique index message_once on message (id, agent_id);
drop index message_by_id;

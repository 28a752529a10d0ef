-- Files a user sent with a message, by their URLs: [{ type, url, format, name }]. Null: none.
alter table message add column attachments jsonb;

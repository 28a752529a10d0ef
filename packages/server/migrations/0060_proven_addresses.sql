-- When somebody showed that the address is theirs: by an invitation or a link made for it, or at the identity provider. Null: an
-- open invitation was accepted with an address that anybody could have typed.
alter table account add column email_proven_at timestamptz;

-- What is known of the accounts there are: they came by an invitation to their address, or the provider has verified it before
-- anything but an invitation could have been used.
update account a set email_proven_at = now()
where exists (
  select from audit t join account_invitation i on i.id::text = t.detail ->> 'invitation'
  where t.action = 'account.create' and t.subject_id = a.id and i.email = a.email
);
update account a set email_proven_at = now()
where a.email_proven_at is null and a.password_hash = ''
  and exists (select from account_identity i where i.account_id = a.id);

-- A person may have several roles for one agent or for the installation: what they allow adds up.
alter table account_role drop constraint account_role_pkey, add primary key (account_id, agent_id, role);
alter table account_role drop constraint account_role_role_check,
  add check (role in ('owner', 'developer', 'lead', 'editor', 'support', 'viewer'));
alter table account_invitation drop constraint account_invitation_role_check,
  add check (role in ('owner', 'developer', 'lead', 'editor', 'support', 'viewer'));

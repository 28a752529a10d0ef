import { type Role, ROLES } from "@signalbox/contract";
import { Field, Select } from "../../design/index.ts";
import { useAccess, useAgents } from "../../service/index.ts";
import { useMemberWords } from "./words.ts";

export interface RoleFieldProps {
  value: Role;
  onChange: (role: Role) => void;
}

export function RoleField({ value, onChange }: RoleFieldProps) {
  const text = useMemberWords();
  return (
    <Field label={text.role} help={text.roleHelp[value]}>
      <Select
        label={text.role}
        value={value}
        options={ROLES.map((role) => ({ value: role, label: text.roles[role] }))}
        onChange={onChange}
      />
    </Field>
  );
}

/** null: the whole installation. Only the scopes that the signed-in person may give. */
export function useRoleScopes(): { value: string | null; label: string }[] {
  const text = useMemberWords();
  const { may } = useAccess();
  const { agents } = useAgents();
  return [
    ...(may("createInvitation") ? [{ value: null, label: text.installation }] : []),
    ...agents
      .filter(({ agent_id }) => may("createInvitation", agent_id))
      .map(({ agent_id, name }) => ({ value: agent_id, label: name })),
  ];
}

import type { AccountRole } from "@signalbox/contract";
import { Badge } from "../../design/index.ts";
import { useAgents } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { useMemberWords } from "./words.ts";

/** A role as it is said: alone where it holds for the installation, with its agent otherwise. */
function useRoleText(): (role: AccountRole) => string {
  const words = useWords();
  const text = useMemberWords();
  const { byId } = useAgents();
  return ({ role, agent_id }) =>
    agent_id === null
      ? text.roles[role]
      : text.roleFor(text.roles[role], byId.get(agent_id)?.name ?? words.common.unknownAgent);
}

/** On the screen of one agent its name is not said again. */
export function RoleList({ roles, alone = false }: { roles: readonly AccountRole[]; alone?: boolean }) {
  const text = useMemberWords();
  const roleText = useRoleText();
  if (roles.length === 0) return <Badge tone="warn">{text.noRole}</Badge>;
  return (
    <span className="flex min-w-0 flex-wrap gap-1">
      {roles.map((role) => (
        <Badge key={`${role.role} ${role.agent_id}`} tone={role.role === "owner" ? "accent" : "neutral"}>
          {alone ? text.roles[role.role] : roleText(role)}
        </Badge>
      ))}
    </span>
  );
}

import { type Account, type AccountRole, ROLES } from "@signalbox/contract";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { Button, Dialog, IconButton, problemOf, Select, showToast } from "../../design/index.ts";
import { useAction } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { useRoleScopes } from "./role-fields.tsx";
import { useMemberWords } from "./words.ts";

const LEAST_FIRST = ROLES.toReversed();

export interface RolesEditorProps {
  member: Account;
  /** Only the roles for this agent. */
  agentId?: string | undefined;
  onClose: () => void;
}

/** The roles of an account, for the installation and for agents. */
export function RolesEditor({ member, agentId, onClose }: RolesEditorProps) {
  const words = useWords();
  const text = useMemberWords();
  const known = useRoleScopes();
  const [roles, setRoles] = useState<readonly AccountRole[]>(member.roles);
  const [problem, setProblem] = useState<string>();
  const changes = ["listAccounts", "getSession"] as const;
  const saveAll = useAction("setAccountRoles", { changes });
  const saveOfAgent = useAction("setMemberRoles", { changes });
  // A role for an agent that was deleted keeps its row, or it could not be removed.
  const scopes = [
    ...known,
    ...member.roles
      .filter(({ agent_id }) => known.every(({ value }) => value !== agent_id))
      .map(({ agent_id }) => ({ value: agent_id, label: words.common.unknownAgent })),
  ];
  const isTwice = new Set(roles.map(({ role, agent_id }) => `${role} ${agent_id}`)).size < roles.length;
  const added = LEAST_FIRST.flatMap((role) => scopes.map(({ value }) => ({ role, agent_id: value }))).find(
    (one) =>
      (agentId === undefined || one.agent_id === agentId) &&
      !roles.some(({ role, agent_id }) => role === one.role && agent_id === one.agent_id),
  );
  const change = (index: number, changed: Partial<AccountRole>) =>
    setRoles(roles.map((role, at) => (at === index ? { ...role, ...changed } : role)));
  const submit = async () => {
    const { account_id } = member;
    if (isTwice) return setProblem(text.twice);
    try {
      if (agentId === undefined) await saveAll.mutateAsync({ account_id, roles: [...roles] });
      else
        await saveOfAgent.mutateAsync({
          account_id,
          agent_id: agentId,
          roles: roles.map(({ role }) => role),
        });
      showToast({ title: text.changed });
      onClose();
    } catch (error) {
      setProblem(problemOf(error, words).detail);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={text.changeTitle(member.name)}
      description={text.changeLead}
      footer={
        <>
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button
            tone="primary"
            busy={saveAll.isPending || saveOfAgent.isPending}
            onClick={() => void submit()}
          >
            {words.common.save}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {roles.map(({ role, agent_id }, index) => (
          <div key={index} className="flex items-start gap-2">
            <div className="grid min-w-0 flex-1 grid-cols-1 gap-2 sm:grid-cols-2">
              <Select
                label={text.role}
                value={role}
                options={ROLES.map((value) => ({ value, label: text.roles[value] }))}
                onChange={(chosen) => change(index, { role: chosen })}
              />
              {agentId === undefined && (
                <Select
                  label={text.for}
                  value={agent_id}
                  options={scopes}
                  onChange={(chosen) => change(index, { agent_id: chosen })}
                />
              )}
              <p className="text-xs text-ink-faint sm:col-span-2">{text.roleHelp[role]}</p>
            </div>
            {(agentId === undefined || roles.length > 1) && (
              <IconButton
                label={text.removeRole}
                onClick={() => setRoles(roles.filter((_, at) => at !== index))}
              >
                <X className="size-4" aria-hidden />
              </IconButton>
            )}
          </div>
        ))}
        {roles.length === 0 && <p className="text-sm text-ink-soft">{text.noneChosen}</p>}
        {problem !== undefined && (
          <p role="alert" className="text-xs text-bad">
            {problem}
          </p>
        )}
        {added !== undefined && (
          <div>
            <Button
              size="sm"
              icon={<Plus className="size-3.5" aria-hidden />}
              onClick={() => setRoles([...roles, added])}
            >
              {text.addRole}
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

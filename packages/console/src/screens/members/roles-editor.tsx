import { type Account, type AccountRole, ROLES } from "@signalbox/contract";
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { Button, Dialog, IconButton, problemOf, Select, showToast } from "../../design/index.ts";
import { useAction } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { useRoleScopes } from "./role-fields.tsx";
import { useMemberWords } from "./words.ts";

export interface RolesEditorProps {
  member: Account;
  onClose: () => void;
}

/** All roles of an account: one for the installation, or one for each of some agents. */
export function RolesEditor({ member, onClose }: RolesEditorProps) {
  const words = useWords();
  const text = useMemberWords();
  const known = useRoleScopes();
  const [roles, setRoles] = useState<readonly AccountRole[]>(member.roles);
  const [problem, setProblem] = useState<string>();
  const save = useAction("setAccountRoles", { changes: ["listAccounts", "getSession"] });
  const taken = new Set(roles.map(({ agent_id }) => agent_id));
  // A role for an agent that was deleted keeps its row, or it could not be removed.
  const scopes = [
    ...known,
    ...member.roles
      .filter(({ agent_id }) => known.every(({ value }) => value !== agent_id))
      .map(({ agent_id }) => ({ value: agent_id, label: words.common.unknownAgent })),
  ];
  const free = scopes.find(({ value }) => !taken.has(value));
  const change = (index: number, changed: Partial<AccountRole>) =>
    setRoles(roles.map((role, at) => (at === index ? { ...role, ...changed } : role)));
  const submit = async () => {
    if (taken.size < roles.length) return setProblem(text.twice);
    try {
      await save.mutateAsync({ account_id: member.account_id, roles: [...roles] });
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
          <Button tone="primary" busy={save.isPending} onClick={() => void submit()}>
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
              <Select
                label={text.for}
                value={agent_id}
                options={scopes}
                onChange={(chosen) => change(index, { agent_id: chosen })}
              />
              <p className="text-xs text-ink-faint sm:col-span-2">{text.roleHelp[role]}</p>
            </div>
            <IconButton
              label={text.removeRole}
              onClick={() => setRoles(roles.filter((_, at) => at !== index))}
            >
              <X className="size-4" aria-hidden />
            </IconButton>
          </div>
        ))}
        {roles.length === 0 && <p className="text-sm text-ink-soft">{text.noneChosen}</p>}
        {problem !== undefined && (
          <p role="alert" className="text-xs text-bad">
            {problem}
          </p>
        )}
        {free !== undefined && (
          <div>
            <Button
              size="sm"
              icon={<Plus className="size-3.5" aria-hidden />}
              onClick={() => setRoles([...roles, { role: "viewer", agent_id: free.value }])}
            >
              {text.addRole}
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

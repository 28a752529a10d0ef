import type { Account, Role } from "@signalbox/contract";
import { useState } from "react";
import { Button, Dialog, showProblem, showToast } from "../../design/index.ts";
import { useAction } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { RoleField } from "./role-fields.tsx";
import { useMemberWords } from "./words.ts";

export interface MemberRoleProps {
  member: Account;
  agentId: string;
  onClose: () => void;
}

/** The one role somebody has for an agent. */
export function MemberRole({ member, agentId, onClose }: MemberRoleProps) {
  const words = useWords();
  const text = useMemberWords();
  const [role, setRole] = useState<Role>(member.roles[0]?.role ?? "viewer");
  const save = useAction("setMemberRole", {
    changes: ["listAccounts", "getSession"],
    onDone: () => {
      showToast({ title: text.changed });
      onClose();
    },
  });
  const submit = () =>
    save.mutate(
      { agent_id: agentId, account_id: member.account_id, role },
      {
        onError: (error) => {
          showProblem(error, words);
        },
      },
    );
  return (
    <Dialog
      open
      onOpenChange={onClose}
      width="sm"
      title={text.changeTitle(member.name)}
      description={text.changeLead}
      footer={
        <>
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button tone="primary" busy={save.isPending} onClick={submit}>
            {words.common.save}
          </Button>
        </>
      }
    >
      <RoleField value={role} onChange={setRole} />
    </Dialog>
  );
}

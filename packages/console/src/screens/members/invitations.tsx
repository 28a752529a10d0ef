import type { InvitationPage } from "@signalbox/contract";
import { useState } from "react";
import { Button, ConfirmDialog, Panel, Problem, showToast, SkeletonLines, Time } from "../../design/index.ts";
import { useAction, usePages } from "../../service/index.ts";
import { RoleList } from "./role-list.tsx";
import { useMemberWords } from "./words.ts";

type Invitation = InvitationPage["list"][number];

export interface InvitationsProps {
  agentId: string | undefined;
  mayManage: boolean;
}

/** Links that nobody has used yet. */
export function Invitations({ agentId, mayManage }: InvitationsProps) {
  const text = useMemberWords();
  // Those that are open are among the newest: a link works for weeks at most.
  const list = usePages("listInvitations", { agent_id: agentId, limit: 100 });
  const open = list.entries.filter(({ state }) => state === "open");
  const [withdraws, setWithdraws] = useState<Invitation>();
  const revoke = useAction("revokeInvitation", {
    changes: ["listInvitations"],
    onDone: () => showToast({ title: text.withdrawn }),
  });
  return (
    <Panel flush title={text.invitations} lead={text.invitationsLead}>
      {list.isError ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : list.isPending ? (
        <SkeletonLines className="p-4" lines={2} />
      ) : open.length === 0 ? (
        <p className="px-4 py-6 text-center text-sm text-ink-soft">{text.noInvitations}</p>
      ) : (
        <ul>
          {open.map((invitation) => (
            <li
              key={invitation.invitation_id}
              className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4 py-3 first:border-t-0"
            >
              <span className="min-w-0 flex-[1_1_14rem] truncate text-sm text-ink">
                {invitation.email ?? text.anyone}
              </span>
              <div className="flex min-w-0 flex-[1_1_12rem] flex-col gap-1">
                <RoleList roles={[invitation]} alone={agentId !== undefined} />
                <span className="text-xs text-ink-faint">
                  {text.expiresAt} <Time at={invitation.expire_time} />
                </span>
              </div>
              {mayManage && (
                <div className="flex sm:min-w-44 sm:justify-end">
                  <Button
                    size="sm"
                    aria-label={`${text.withdraw}: ${invitation.email ?? text.anyone}`}
                    onClick={() => setWithdraws(invitation)}
                  >
                    {text.withdraw}
                  </Button>
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
      <ConfirmDialog
        open={withdraws !== undefined}
        onOpenChange={() => setWithdraws(undefined)}
        title={text.withdrawTitle}
        description={text.withdrawLead}
        confirm={text.withdraw}
        onConfirm={() => revoke.mutateAsync({ invitation_id: withdraws?.invitation_id ?? "" })}
      />
    </Panel>
  );
}

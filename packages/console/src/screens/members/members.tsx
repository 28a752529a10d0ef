import type { Account } from "@signalbox/contract";
import { useSearch } from "@tanstack/react-router";
import { Ellipsis, UserPlus, Users } from "lucide-react";
import { useState } from "react";
import {
  Badge,
  Button,
  ConfirmDialog,
  EmptyState,
  IconButton,
  Menu,
  Page,
  Panel,
  Problem,
  showToast,
  SkeletonLines,
  Time,
} from "../../design/index.ts";
import { useAccess, useAction, useAgents, usePages } from "../../service/index.ts";
import { Invitations } from "./invitations.tsx";
import { Invite } from "./invite.tsx";
import { RoleList } from "./role-list.tsx";
import { ResetPassword, ResetSecondFactor } from "./resets.tsx";
import { RolesEditor } from "./roles-editor.tsx";
import { useSecondFactorWords } from "./second-factor-words.ts";
import { useMemberWords } from "./words.ts";

type Asked = { what: "role" | "removal" | "password" | "second factor"; member: Account };

export function Members() {
  const text = useMemberWords();
  const { agent: agent_id } = useSearch({ from: "__root__" });
  const { byId } = useAgents();
  const { may } = useAccess();
  const agent = agent_id === undefined ? undefined : byId.get(agent_id);
  const members = usePages("listAccounts", { agent_id, limit: 100 });
  const [invites, setInvites] = useState(false);
  const [asked, setAsked] = useState<Asked>();
  const mayManage = may("createInvitation", agent_id);
  const done = () => setAsked(undefined);
  return (
    <Page
      layout="reading"
      title={text.title}
      beside={agent !== undefined && <span className="text-sm text-ink-faint">{agent.name}</span>}
      lead={agent === undefined ? text.lead : text.leadAgent(agent.name)}
      actions={
        mayManage && (
          <Button
            tone="primary"
            icon={<UserPlus className="size-3.5" aria-hidden />}
            onClick={() => setInvites(true)}
          >
            {text.invite}
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <Panel flush title={text.people}>
          {members.isError ? (
            <Problem error={members.error} onRetry={() => void members.refetch()} />
          ) : members.isPending ? (
            <SkeletonLines className="p-4" lines={4} />
          ) : members.entries.length === 0 ? (
            <EmptyState
              icon={Users}
              title={text.nobody}
              command={`signalbox accounts invite --role ${agent_id === undefined ? "owner" : `developer:${agent_id}`}`}
            >
              {text.nobodyLead}
            </EmptyState>
          ) : (
            <ul>
              {members.entries.map((member) => (
                <MemberRow
                  key={member.account_id}
                  member={member}
                  ofAgent={agent_id !== undefined}
                  onAsk={mayManage ? setAsked : undefined}
                />
              ))}
            </ul>
          )}
          {members.hasNextPage && (
            <div className="border-t border-line p-2 text-center">
              <Button
                tone="quiet"
                busy={members.isFetchingNextPage}
                onClick={() => void members.fetchNextPage()}
              >
                {text.showMore}
              </Button>
            </div>
          )}
        </Panel>
        <Invitations agentId={agent_id} mayManage={mayManage} />
      </div>
      {invites && <Invite open onOpenChange={setInvites} agentId={agent_id} />}
      {asked?.what === "role" && <RolesEditor member={asked.member} agentId={agent_id} onClose={done} />}
      {asked?.what === "removal" && (
        <Removal member={asked.member} agentId={agent_id} agentName={agent?.name ?? ""} onClose={done} />
      )}
      {asked?.what === "password" && <ResetPassword member={asked.member} onClose={done} />}
      {asked?.what === "second factor" && <ResetSecondFactor member={asked.member} onClose={done} />}
    </Page>
  );
}

interface MemberRowProps {
  member: Account;
  ofAgent: boolean;
  /** Undefined for a person who may change nothing. */
  onAsk: ((asked: Asked) => void) | undefined;
}

function MemberRow({ member, ofAgent, onAsk }: MemberRowProps) {
  const text = useMemberWords();
  const factor = useSecondFactorWords();
  const { accountId } = useAccess();
  const isSelf = member.account_id === accountId;
  const { name, email, last_used_time } = member;
  const removal = ofAgent ? text.remove : text.delete;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4 py-3 first:border-t-0">
      <div className="flex min-w-0 flex-[1_1_14rem] flex-col">
        <span className="flex min-w-0 items-center gap-2">
          <span className="truncate text-sm font-medium text-ink">{name}</span>
          {isSelf && <Badge>{text.you}</Badge>}
          {member.has_second_factor && <Badge tone="good">{factor.badge}</Badge>}
        </span>
        <span className="truncate text-xs text-ink-soft">{email}</span>
      </div>
      <div className="flex min-w-0 flex-[1_1_12rem] flex-col gap-1">
        <RoleList roles={member.roles} alone={ofAgent} />
        <span className="text-xs text-ink-faint">
          {last_used_time === null ? (
            text.neverActive
          ) : (
            <>
              {text.lastActive} <Time at={last_used_time} />
            </>
          )}
        </span>
      </div>
      {onAsk !== undefined && (
        <div className="flex gap-2 sm:min-w-44 sm:justify-end">
          <Button
            size="sm"
            aria-label={`${text.change}: ${name}`}
            onClick={() => onAsk({ what: "role", member })}
          >
            {text.change}
          </Button>
          {!isSelf && (
            <Button
              size="sm"
              aria-label={`${removal}: ${name}`}
              onClick={() => onAsk({ what: "removal", member })}
            >
              {removal}
            </Button>
          )}
          {!isSelf && !ofAgent && (
            <Menu
              trigger={
                <IconButton label={`${factor.more}: ${name}`} size="sm">
                  <Ellipsis className="size-4" aria-hidden />
                </IconButton>
              }
              groups={[
                {
                  items: [
                    {
                      id: "password",
                      label: text.resetPassword,
                      run: () => onAsk({ what: "password", member }),
                    },
                    ...(member.has_second_factor || member.passkeys > 0
                      ? [
                          {
                            id: "second-factor",
                            label: factor.reset,
                            run: () => onAsk({ what: "second factor", member }),
                          },
                        ]
                      : []),
                  ],
                },
              ]}
            />
          )}
        </div>
      )}
    </li>
  );
}

interface RemovalProps {
  member: Account;
  agentId: string | undefined;
  agentName: string;
  onClose: () => void;
}

/** From one agent, or the whole account. */
function Removal({ member, agentId, agentName, onClose }: RemovalProps) {
  const text = useMemberWords();
  const { account_id, name } = member;
  const remove = useAction("removeMember", { changes: ["listAccounts"] });
  const deletion = useAction("deleteAccount", { changes: ["listAccounts"] });
  const confirm = async () => {
    if (agentId === undefined) await deletion.mutateAsync({ account_id });
    else await remove.mutateAsync({ agent_id: agentId, account_id });
    showToast({ title: agentId === undefined ? text.deleted : text.removed });
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={agentId === undefined ? text.deleteTitle(name) : text.removeTitle(name, agentName)}
      description={agentId === undefined ? text.deleteLead : text.removeLead}
      confirm={agentId === undefined ? text.delete : text.remove}
      onConfirm={confirm}
    />
  );
}

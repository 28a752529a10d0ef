import { CircleUserRound } from "lucide-react";
import { EmptyState, Facts, Page, Panel, Problem, SkeletonPanel, Time } from "../../design/index.ts";
import { useAccount } from "../../service/index.ts";
import { Passkeys } from "./passkeys.tsx";
import { PasswordForm } from "./password-form.tsx";
import { RoleList } from "./role-list.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { Sessions } from "./sessions.tsx";
import { useMemberWords } from "./words.ts";

/** One's own account: roles, passkeys, second factor, sessions and password. */
export function YourAccount() {
  const text = useMemberWords();
  const { data, error, isAccount, refetch } = useAccount();
  return (
    <Page layout="reading" title={text.account} lead={text.accountLead}>
      {!isAccount ? (
        <EmptyState icon={CircleUserRound} title={text.needsAccount}>
          {text.needsAccountLead}
        </EmptyState>
      ) : error !== null ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonPanel lines={8} />
      ) : (
        <div className="flex flex-col gap-4">
          <Panel>
            <Facts
              facts={[
                { label: text.name, value: data.account.name },
                { label: text.email, value: <span className="truncate">{data.account.email}</span> },
                { label: text.yourRoles, value: <RoleList roles={data.roles} /> },
                data.credentials_change_time !== null && {
                  label: text.credentialsChanged,
                  value: (
                    <span>
                      <Time at={data.credentials_change_time} as="full" />
                      <span className="block text-xs text-ink-faint">{text.credentialsChangedLead}</span>
                    </span>
                  ),
                },
              ]}
            />
          </Panel>
          <Passkeys />
          <SecondFactor />
          <Sessions />
          <PasswordForm email={data.account.email} />
        </div>
      )}
    </Page>
  );
}

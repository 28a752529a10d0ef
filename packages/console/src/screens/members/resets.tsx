import type { Account } from "@signalbox/contract";
import { Button, ConfirmDialog, Dialog, showProblem, ShownOnce, showToast } from "../../design/index.ts";
import { useAction } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { useSecondFactorWords } from "./second-factor-words.ts";
import { useMemberWords } from "./words.ts";

interface ResetProps {
  member: Account;
  onClose: () => void;
}

/** For somebody who forgot their password: a link, shown this once. */
export function ResetPassword({ member, onClose }: ResetProps) {
  const words = useWords();
  const text = useMemberWords();
  const create = useAction("createPasswordReset");
  if (create.data !== undefined)
    return (
      <ShownOnce
        open
        onOpenChange={onClose}
        title={text.created}
        description={text.resetCreatedLead}
        text={`${location.origin}${create.data.path}`}
      />
    );
  return (
    <Dialog
      open
      onOpenChange={onClose}
      width="sm"
      title={text.resetPasswordTitle(member.name)}
      description={text.resetPasswordLead}
      footer={
        <>
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button
            tone="primary"
            busy={create.isPending}
            onClick={() =>
              create.mutate(
                { account_id: member.account_id },
                { onError: (error) => showProblem(error, words) },
              )
            }
          >
            {text.createLink}
          </Button>
        </>
      }
    />
  );
}

/** For somebody who lost phone and recovery codes. */
export function ResetSecondFactor({ member, onClose }: ResetProps) {
  const factor = useSecondFactorWords();
  const reset = useAction("resetSecondFactor", {
    changes: ["listAccounts"],
    onDone: () => showToast({ title: factor.wasReset }),
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={factor.resetTitle(member.name)}
      description={factor.resetLead}
      confirm={factor.reset}
      onConfirm={() => reset.mutateAsync({ account_id: member.account_id })}
    />
  );
}

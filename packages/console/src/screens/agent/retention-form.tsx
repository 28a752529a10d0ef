import { RETENTION_DAYS_MAX } from "@signalbox/contract";
import { useState } from "react";
import {
  Button,
  Field,
  Input,
  Panel,
  Problem,
  problemOf,
  showToast,
  SkeletonPanel,
} from "../../design/index.ts";
import { useAction, useCall } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";

export function RetentionForm({ agentId }: { agentId: string }) {
  const words = useScreenWords();
  const text = words.agent;
  const retention = useCall("getRetention", { agent_id: agentId });
  const save = useAction("setRetention", { changes: ["getRetention"] });
  const [typed, setTyped] = useState<string>();
  const [problem, setProblem] = useState<string>();
  if (retention.isError) return <Problem error={retention.error} onRetry={() => void retention.refetch()} />;
  if (retention.isPending) return <SkeletonPanel lines={3} />;
  const { days, action, effective } = retention.data;
  const value = typed ?? days?.toString() ?? "";
  const submit = async () => {
    const wanted = value.trim() === "" ? null : Number(value);
    const isGood =
      wanted === null || (Number.isInteger(wanted) && wanted >= 1 && wanted <= RETENTION_DAYS_MAX);
    setProblem(isGood ? undefined : text.numberProblem);
    if (!isGood) return;
    try {
      await save.mutateAsync({ agent_id: agentId, days: wanted, action });
      setTyped(undefined);
      showToast({ title: words.common.saved });
    } catch (error) {
      setProblem(problemOf(error, words).detail);
    }
  };
  const inForce = effective.days === null ? text.keptForever : text.daysCount(effective.days);
  return (
    <Panel title={text.retention} lead={text.retentionLead}>
      <form
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <Field
          label={text.retentionDays}
          note={words.common.optional}
          help={text.retentionHelp(inForce)}
          problem={problem}
          className="max-w-60"
        >
          <Input inputMode="numeric" value={value} onChange={(event) => setTyped(event.target.value)} />
        </Field>
        <div>
          <Button tone="primary" type="submit" disabled={typed === undefined} busy={save.isPending}>
            {words.common.save}
          </Button>
        </div>
      </form>
    </Panel>
  );
}

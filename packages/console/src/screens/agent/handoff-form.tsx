import type { HandoffSettings } from "@signalbox/contract";
import { useForm } from "react-hook-form";
import { Field, Input, Panel, Problem, problemOf, showToast, SkeletonPanel } from "../../design/index.ts";
import { bodyProblems, useAction, useCall } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { withSeconds } from "./handoff-timer.ts";
import { SaveBar } from "./save-bar.tsx";

interface Values {
  noAnswerLimit: string;
  quiet: string;
  transcript: string;
  firstReply: string;
  humanIdle: string;
  userIdle: string;
}

function valuesOf(settings: HandoffSettings): Values {
  const { timers } = settings;
  return {
    noAnswerLimit: settings.no_answer_limit?.toString() ?? "",
    quiet: String(settings.quiet_seconds),
    transcript: String(settings.transcript_items),
    firstReply: String(timers.first_reply.seconds),
    humanIdle: String(timers.human_idle.seconds),
    userIdle: String(timers.user_idle.seconds),
  };
}

export function HandoffForm({ agentId }: { agentId: string }) {
  const settings = useCall("getHandoffSettings", { agent_id: agentId });
  if (settings.isError) return <Problem error={settings.error} onRetry={() => void settings.refetch()} />;
  if (settings.isPending) return <SkeletonPanel lines={6} />;
  return <Form agentId={agentId} settings={settings.data} />;
}

function Form({ agentId, settings }: { agentId: string; settings: HandoffSettings }) {
  const words = useScreenWords();
  const text = words.agent;
  const { register, handleSubmit, setError, formState, reset } = useForm<Values>({
    values: valuesOf(settings),
    resetOptions: { keepDirtyValues: true },
  });
  const save = useAction("setHandoffSettings", { changes: ["getHandoffSettings"] });
  const submit = handleSubmit(async (values) => {
    const { timers } = settings;
    const body = {
      ...settings,
      no_answer_limit: values.noAnswerLimit.trim() === "" ? null : Number(values.noAnswerLimit),
      quiet_seconds: Number(values.quiet),
      transcript_items: Number(values.transcript),
      timers: {
        first_reply: withSeconds(timers.first_reply, Number(values.firstReply)),
        human_idle: withSeconds(timers.human_idle, Number(values.humanIdle)),
        user_idle: withSeconds(timers.user_idle, Number(values.userIdle)),
      },
    };
    const problems = bodyProblems("setHandoffSettings", body);
    if (problems["no_answer_limit"]) setError("noAnswerLimit", { message: text.numberProblem });
    if (problems["quiet_seconds"]) setError("quiet", { message: text.numberProblem });
    if (problems["transcript_items"]) setError("transcript", { message: text.numberProblem });
    if (problems["timers"]) setError("firstReply", { message: text.numberProblem });
    if (Object.keys(problems).length > 0) return;
    try {
      reset(valuesOf(await save.mutateAsync({ agent_id: agentId, ...body })));
      showToast({ title: words.common.saved });
    } catch (error) {
      setError("noAnswerLimit", { message: problemOf(error, words).detail });
    }
  });
  const { errors } = formState;
  return (
    <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
      <Panel title={text.sections.handoff} lead={text.handoffLead}>
        <div className="grid gap-5 sm:grid-cols-2">
          <Field
            label={text.noAnswerLimit}
            note={words.common.optional}
            help={text.noAnswerLimitHelp}
            problem={errors.noAnswerLimit?.message}
          >
            <Input inputMode="numeric" {...register("noAnswerLimit")} />
          </Field>
          <Field label={text.quiet} note={text.seconds} help={text.quietHelp} problem={errors.quiet?.message}>
            <Input inputMode="numeric" {...register("quiet")} />
          </Field>
          <Field label={text.transcript} help={text.transcriptHelp} problem={errors.transcript?.message}>
            <Input inputMode="numeric" {...register("transcript")} />
          </Field>
        </div>
        <fieldset className="mt-6 border-t border-line pt-4">
          <legend className="sr-only">{text.timersHelp}</legend>
          <p className="mb-4 text-xs text-ink-faint">{text.timersHelp}</p>
          <div className="grid gap-5 sm:grid-cols-3">
            <Field label={text.firstReply} note={text.seconds} problem={errors.firstReply?.message}>
              <Input inputMode="numeric" {...register("firstReply")} />
            </Field>
            <Field label={text.humanIdle} note={text.seconds}>
              <Input inputMode="numeric" {...register("humanIdle")} />
            </Field>
            <Field label={text.userIdle} note={text.seconds}>
              <Input inputMode="numeric" {...register("userIdle")} />
            </Field>
          </div>
        </fieldset>
      </Panel>
      <SaveBar
        isDirty={formState.isDirty}
        busy={formState.isSubmitting}
        onDiscard={() => reset(valuesOf(settings))}
      />
    </form>
  );
}

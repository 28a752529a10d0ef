import { type Agent, Language } from "@signalbox/contract";
import { Controller, useForm } from "react-hook-form";
import { Field, Input, Panel, problemOf, Select, showToast, Switch, TextArea } from "../../design/index.ts";
import { bodyProblems, useAction } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { SaveBar } from "./save-bar.tsx";

interface Values {
  name: string;
  language: Language;
  fallback: string;
  direct: string;
  answer: string;
  smallTalk: boolean;
}

function valuesOf(agent: Agent): Values {
  return {
    name: agent.name,
    language: agent.language,
    fallback: agent.fallback_text ?? "",
    direct: agent.direct_score?.toString() ?? "",
    answer: agent.answer_score?.toString() ?? "",
    smallTalk: agent.small_talk?.enabled ?? true,
  };
}

/** An empty field is the service's own value. */
const scoreOf = (text: string) => (text.trim() === "" ? null : Number(text.replace(",", ".")));

export function GeneralForm({ agent }: { agent: Agent }) {
  const words = useScreenWords();
  const text = words.agent;
  const form = useForm<Values>({ values: valuesOf(agent), resetOptions: { keepDirtyValues: true } });
  const { register, control, handleSubmit, setError, formState, reset } = form;
  const save = useAction("updateAgent", { changes: ["listAgents"] });
  const submit = handleSubmit(async (values) => {
    const { replies } = agent.small_talk ?? {};
    const body = {
      name: values.name.trim(),
      language: values.language,
      fallback_text: values.fallback.trim() === "" ? null : values.fallback,
      direct_score: scoreOf(values.direct),
      answer_score: scoreOf(values.answer),
      small_talk: { enabled: values.smallTalk, ...(replies && { replies }) },
    };
    const problems = bodyProblems("updateAgent", body);
    if (problems["name"]) setError("name", { message: problems["name"] });
    if (problems["fallback_text"]) setError("fallback", { message: problems["fallback_text"] });
    if (problems["direct_score"]) setError("direct", { message: text.scoreProblem });
    if (problems["answer_score"]) setError("answer", { message: text.scoreProblem });
    if (Object.keys(problems).length > 0) return;
    try {
      const saved = await save.mutateAsync({ agent_id: agent.agent_id, ...body });
      reset(valuesOf(saved));
      showToast({ title: text.saved });
    } catch (error) {
      setError("name", { message: problemOf(error, words).detail });
    }
  });
  const { errors } = formState;
  return (
    <form noValidate className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
      <Panel title={text.identity}>
        <div className="grid gap-5 sm:grid-cols-2">
          <Field label={text.name} problem={errors.name?.message}>
            <Input {...register("name")} />
          </Field>
          <Field label={text.language} help={text.languageHelp}>
            <Controller
              control={control}
              name="language"
              render={({ field }) => (
                <Select
                  label={text.language}
                  value={field.value}
                  options={Language.options.map((value) => ({ value, label: words.start.languages[value] }))}
                  onChange={field.onChange}
                />
              )}
            />
          </Field>
        </div>
      </Panel>
      <Panel title={text.answering}>
        <div className="grid gap-5 sm:grid-cols-2">
          <Field
            label={text.fallback}
            note={words.common.optional}
            help={text.fallbackHelp}
            problem={errors.fallback?.message}
            className="sm:col-span-2"
          >
            <TextArea rows={3} {...register("fallback")} />
          </Field>
          <Field
            label={text.direct}
            note={words.common.optional}
            help={text.directHelp}
            problem={errors.direct?.message}
          >
            <Input inputMode="decimal" {...register("direct")} />
          </Field>
          <Field
            label={text.answer}
            note={words.common.optional}
            help={text.answerHelp}
            problem={errors.answer?.message}
          >
            <Input inputMode="decimal" {...register("answer")} />
          </Field>
          <div className="sm:col-span-2">
            <Controller
              control={control}
              name="smallTalk"
              render={({ field }) => (
                <Switch
                  label={text.smallTalk}
                  help={text.smallTalkHelp}
                  checked={field.value}
                  onChange={field.onChange}
                />
              )}
            />
          </div>
        </div>
      </Panel>
      <SaveBar
        isDirty={formState.isDirty}
        busy={formState.isSubmitting}
        onDiscard={() => reset(valuesOf(agent))}
      />
    </form>
  );
}

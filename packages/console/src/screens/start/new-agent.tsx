import { CreateAgentRequest, Language } from "@signalbox/contract";
import { zodResolver } from "@hookform/resolvers/zod";
import { useNavigate } from "@tanstack/react-router";
import { Controller, useForm } from "react-hook-form";
import { Field, FormDialog, Input, problemOf, Select, showToast } from "../../design/index.ts";
import { usePreferences } from "../../preferences/index.ts";
import { useAction } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";

export interface NewAgentProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

const schema = CreateAgentRequest.pick({ name: true, language: true });

export function NewAgent({ open, onOpenChange }: NewAgentProps) {
  const words = useScreenWords();
  const text = words.start.newAgent;
  const navigate = useNavigate();
  const { language } = usePreferences();
  const { register, handleSubmit, control, formState, setError, reset } = useForm({
    resolver: zodResolver(schema),
    defaultValues: { name: "", language },
  });
  const create = useAction("createAgent", { changes: ["listAgents"] });
  const submit = handleSubmit(async (input) => {
    try {
      const agent = await create.mutateAsync(input);
      showToast({ title: text.created(agent.name) });
      reset();
      onOpenChange(false);
      await navigate({ to: ".", search: (search) => ({ ...search, agent: agent.agent_id }) });
    } catch (error) {
      setError("name", { message: problemOf(error, words).detail });
    }
  });
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      width="sm"
      title={text.title}
      description={text.lead}
      submit={text.submit}
      busy={formState.isSubmitting}
      onSubmit={submit}
    >
      <Field label={text.name} problem={formState.errors.name?.message}>
        <Input autoFocus placeholder={text.namePlaceholder} {...register("name")} />
      </Field>
      <Field label={text.language} help={text.languageHelp}>
        <Controller
          control={control}
          name="language"
          render={({ field }) => (
            <Select
              label={text.language}
              value={field.value ?? "en"}
              options={Language.options.map((value) => ({ value, label: words.start.languages[value] }))}
              onChange={field.onChange}
            />
          )}
        />
      </Field>
    </FormDialog>
  );
}

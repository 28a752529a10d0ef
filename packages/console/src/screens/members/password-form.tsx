import { isFailure } from "@signalbox/sdk";
import { useForm } from "react-hook-form";
import { Button, Field, Input, Panel, problemOf, showToast } from "../../design/index.ts";
import { bodyProblems, useAction } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { useMemberWords } from "./words.ts";

const EMPTY = { current_password: "", password: "" };

export function PasswordForm({ email }: { email: string }) {
  const words = useWords();
  const text = useMemberWords();
  const { register, handleSubmit, setError, reset, formState } = useForm({ defaultValues: EMPTY });
  const change = useAction("changePassword", { changes: ["listSessions", "getSession"] });
  const submit = handleSubmit(async (input) => {
    const problems = bodyProblems("changePassword", input);
    if ("password" in problems) return setError("password", { message: text.passwordHelp });
    if ("current_password" in problems) return setError("current_password", { message: text.wrongPassword });
    try {
      await change.mutateAsync(input);
      reset(EMPTY);
      showToast({ title: text.passwordChanged, description: text.passwordChangedLead });
    } catch (error) {
      // The contract was asked before: what is refused now is a password that others guess.
      if (isFailure(error, "badParameter"))
        return setError("password", { message: words.problems.passwordWeak });
      const message = isFailure(error, "wrongPassword") ? text.wrongPassword : problemOf(error, words).title;
      setError("current_password", { message });
    }
  });
  const { errors, isSubmitting } = formState;
  return (
    <Panel title={text.password} lead={text.passwordLead}>
      <form className="flex max-w-sm flex-col gap-4" onSubmit={(event) => void submit(event)} noValidate>
        {/* So that a password manager knows whose password it stores. */}
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <Field label={text.currentPassword} problem={errors.current_password?.message}>
          <Input type="password" autoComplete="current-password" {...register("current_password")} />
        </Field>
        <Field label={text.newPassword} help={text.passwordHelp} problem={errors.password?.message}>
          <Input type="password" autoComplete="new-password" {...register("password")} />
        </Field>
        <div>
          <Button type="submit" busy={isSubmitting}>
            {text.changePassword}
          </Button>
        </div>
      </form>
    </Panel>
  );
}

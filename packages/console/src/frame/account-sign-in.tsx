import { isFailure } from "@signalbox/sdk";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { Button, Field, Input, problemOf } from "../design/index.ts";
import { beginSession, call } from "../service/index.ts";
import { useWords } from "../words/index.ts";
import { useWelcomeWords } from "./welcome-words.ts";

export interface AccountSignInProps {
  /** The only address that will do; undefined: any. */
  email?: string | undefined;
  onDone?: () => Promise<void>;
}

/** Email and password, then the code, for an account with a second factor. */
export function AccountSignIn({ email, onDone }: AccountSignInProps) {
  const [needsCode, setNeedsCode] = useState(false);
  const done = async () => {
    beginSession({ isAccount: true });
    await onDone?.();
  };
  if (needsCode) return <CodeForm onDone={done} onBack={() => setNeedsCode(false)} />;
  return <PasswordForm email={email} onDone={done} onNeedsCode={() => setNeedsCode(true)} />;
}

interface PasswordFormProps {
  email: string | undefined;
  onDone: () => Promise<void>;
  onNeedsCode: () => void;
}

function PasswordForm({ email, onDone, onNeedsCode }: PasswordFormProps) {
  const words = useWords();
  const { signIn } = useWelcomeWords();
  const { register, handleSubmit, setError, formState } = useForm({
    defaultValues: { email: email ?? "", password: "" },
  });
  const submit = handleSubmit(async (input) => {
    try {
      const reply = await call("signIn", input);
      if ("second_factor" in reply) onNeedsCode();
      else await onDone();
    } catch (error) {
      setError("password", { message: refusalOf(error) });
    }
  });
  const refusalOf = (error: unknown) => {
    if (isFailure(error, "developerAuth") || isFailure(error, "badParameter")) return signIn.wrongPassword;
    if (isFailure(error, "tooManyRequests")) return signIn.tooMany;
    return problemOf(error, words).title;
  };
  return (
    <form className="mt-6 flex flex-col gap-4" onSubmit={(event) => void submit(event)} noValidate>
      <Field label={signIn.email}>
        <Input
          type="email"
          autoComplete="username"
          autoFocus={email === undefined}
          readOnly={email !== undefined}
          {...register("email")}
        />
      </Field>
      <Field label={signIn.password} help={signIn.passwordHelp} problem={formState.errors.password?.message}>
        <Input
          type="password"
          autoComplete="current-password"
          autoFocus={email !== undefined}
          {...register("password")}
        />
      </Field>
      <Button tone="primary" type="submit" busy={formState.isSubmitting}>
        {signIn.submit}
      </Button>
    </form>
  );
}

/** The second step, whichever the first was. */
export function CodeForm({ onDone, onBack }: { onDone: () => Promise<void>; onBack: () => void }) {
  const words = useWords();
  const { signIn } = useWelcomeWords();
  const { register, handleSubmit, setError, formState } = useForm({ defaultValues: { one_time_code: "" } });
  const submit = handleSubmit(async (input) => {
    try {
      await call("confirmSignIn", input);
      await onDone();
    } catch (error) {
      setError("one_time_code", { message: refusalOf(error) });
    }
  });
  const refusalOf = (error: unknown) => {
    if (isFailure(error, "signInExpired")) return signIn.codeExpired;
    if (isFailure(error, "developerAuth") || isFailure(error, "badParameter")) return signIn.wrongCode;
    if (isFailure(error, "tooManyRequests")) return signIn.tooManyCodes;
    return problemOf(error, words).title;
  };
  return (
    <form className="mt-6 flex flex-col gap-4" onSubmit={(event) => void submit(event)} noValidate>
      <Field label={signIn.code} help={signIn.codeHelp} problem={formState.errors.one_time_code?.message}>
        <Input
          autoComplete="one-time-code"
          autoFocus
          spellCheck={false}
          className="font-mono"
          {...register("one_time_code")}
        />
      </Field>
      <Button tone="primary" type="submit" busy={formState.isSubmitting}>
        {signIn.submit}
      </Button>
      <Button tone="quiet" onClick={onBack}>
        {signIn.back}
      </Button>
    </form>
  );
}

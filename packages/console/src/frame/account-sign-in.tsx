import { isFailure } from "@signalbox/sdk";
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

/** Email and password. */
export function AccountSignIn({ email, onDone }: AccountSignInProps) {
  const words = useWords();
  const { signIn } = useWelcomeWords();
  const { register, handleSubmit, setError, formState } = useForm({
    defaultValues: { email: email ?? "", password: "" },
  });
  const submit = handleSubmit(async (input) => {
    try {
      await call("signIn", input);
      beginSession({ isAccount: true });
      await onDone?.();
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

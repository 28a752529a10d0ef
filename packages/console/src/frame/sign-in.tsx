import { isFailure } from "@signalbox/sdk";
import { useForm } from "react-hook-form";
import { Button, CopyLine, Field, Input, problemOf } from "../design/index.ts";
import { beginSession, call, clientOf, sessionHasEnded } from "../service/index.ts";
import { useWords } from "../words/index.ts";
import { Welcome } from "./welcome.tsx";

const CREATE_TOKEN = "signalbox tokens create --name me --scope manage --expires 30d";

export function SignIn() {
  const words = useWords();
  return (
    <Welcome title={words.signIn.title} lead={sessionHasEnded() ? words.signIn.ended : words.signIn.lead}>
      <AccountForm />
      <div className="mt-8 border-t border-line pt-5">
        <TokenForm />
        <h2 className="mt-6 text-sm font-medium text-ink">{words.signIn.noToken}</h2>
        <p className="mt-0.5 mb-2.5 text-xs text-ink-soft">{words.signIn.noTokenHelp}</p>
        <CopyLine text={CREATE_TOKEN} />
      </div>
    </Welcome>
  );
}

function AccountForm() {
  const words = useWords();
  const { register, handleSubmit, setError, formState } = useForm({
    defaultValues: { email: "", password: "" },
  });
  const submit = handleSubmit(async (input) => {
    try {
      await call("signIn", input);
      beginSession({ isAccount: true });
    } catch (error) {
      setError("password", { message: refusalOf(error) });
    }
  });
  const refusalOf = (error: unknown) => {
    if (isFailure(error, "developerAuth") || isFailure(error, "badParameter"))
      return words.signIn.wrongPassword;
    if (isFailure(error, "tooManyRequests")) return words.signIn.tooMany;
    return problemOf(error, words).title;
  };
  return (
    <form className="mt-6 flex flex-col gap-4" onSubmit={(event) => void submit(event)} noValidate>
      <Field label={words.signIn.email}>
        <Input type="email" autoComplete="username" autoFocus {...register("email")} />
      </Field>
      <Field
        label={words.signIn.password}
        help={words.signIn.passwordHelp}
        problem={formState.errors.password?.message}
      >
        <Input type="password" autoComplete="current-password" {...register("password")} />
      </Field>
      <Button tone="primary" type="submit" busy={formState.isSubmitting}>
        {words.signIn.submit}
      </Button>
    </form>
  );
}

function TokenForm() {
  const words = useWords();
  const { register, handleSubmit, setError, formState } = useForm({ defaultValues: { token: "" } });
  const submit = handleSubmit(async ({ token }) => {
    const session = { operatorToken: token.trim() };
    try {
      await clientOf(session).listAgents({ limit: 1 });
      beginSession(session);
    } catch (error) {
      setError("token", { message: refusalOf(error) });
    }
  });
  const refusalOf = (error: unknown) => {
    if (isFailure(error, "developerAuth")) return words.signIn.refused;
    if (isFailure(error, "missingScope")) return words.signIn.needsRead;
    return problemOf(error, words).title;
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)} noValidate>
      <Field
        label={words.signIn.token}
        help={words.signIn.tokenHelp}
        problem={formState.errors.token?.message}
      >
        <Input
          type="password"
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
          {...register("token")}
        />
      </Field>
      <Button type="submit" busy={formState.isSubmitting}>
        {words.signIn.submitToken}
      </Button>
    </form>
  );
}

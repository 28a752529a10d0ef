import { isFailure } from "@signalbox/sdk";
import { useForm } from "react-hook-form";
import { Button, CopyLine, Field, Input, problemOf } from "../design/index.ts";
import { beginSession, clientOf, lastSessionEnd } from "../service/index.ts";
import { useWords } from "../words/index.ts";
import { AccountSignIn } from "./account-sign-in.tsx";
import { OidcButton } from "./oidc-button.tsx";
import { PasskeyButton } from "./passkey-button.tsx";
import { useWelcomeWords } from "./welcome-words.ts";
import { Welcome } from "./welcome.tsx";

const CREATE_TOKEN = "signalbox tokens create --name me --scope manage --expires 30d";

export function SignIn() {
  const { signIn } = useWelcomeWords();
  const end = lastSessionEnd();
  return (
    <Welcome title={signIn.title} lead={end === undefined ? signIn.lead : signIn.ends[end]}>
      <OidcButton />
      <AccountSignIn />
      <PasskeyButton />
      <div className="mt-8 border-t border-line pt-5">
        <TokenForm />
        <h2 className="mt-6 text-sm font-medium text-ink">{signIn.noToken}</h2>
        <p className="mt-0.5 mb-2.5 text-xs text-ink-soft">{signIn.noTokenHelp}</p>
        <CopyLine text={CREATE_TOKEN} />
      </div>
    </Welcome>
  );
}

function TokenForm() {
  const words = useWords();
  const { signIn } = useWelcomeWords();
  const { register, handleSubmit, setError, formState } = useForm({ defaultValues: { token: "" } });
  const submit = handleSubmit(async ({ token }) => {
    const session = { operatorToken: token.trim() };
    try {
      await clientOf(session).agents.list({ limit: 1 });
      beginSession(session);
    } catch (error) {
      setError("token", { message: refusalOf(error) });
    }
  });
  const refusalOf = (error: unknown) => {
    if (isFailure(error, "developerAuth")) return signIn.refused;
    if (isFailure(error, "missingScope")) return signIn.needsRead;
    return problemOf(error, words).title;
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)} noValidate>
      <Field label={signIn.token} help={signIn.tokenHelp} problem={formState.errors.token?.message}>
        <Input
          type="password"
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
          {...register("token")}
        />
      </Field>
      <Button type="submit" busy={formState.isSubmitting}>
        {signIn.submitToken}
      </Button>
    </form>
  );
}

import { isFailure } from "@signalbox/sdk";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { Button, buttonClass, Field, Input, Problem, problemOf, SkeletonLines } from "../design/index.ts";
import { bodyProblems, call, endSession, useCall } from "../service/index.ts";
import { useWords } from "../words/index.ts";
import { useWelcomeWords } from "./welcome-words.ts";
import { Welcome } from "./welcome.tsx";

const HOME = "/console/";

/** The page of a link that an owner created for somebody who forgot their password. */
export function ResetPassword({ token }: { token: string }) {
  const { reset, signIn } = useWelcomeWords();
  const [isDone, setDone] = useState(false);
  const { data: offer, error, refetch } = useCall("lookAtPasswordReset", { token }, { enabled: !isDone });
  const isClosed = isFailure(error, "notFound") || isFailure(error, "badParameter");
  if (isDone || isClosed)
    return (
      <Welcome title={isDone ? reset.done : reset.closed} lead={isDone ? reset.doneLead : reset.closedLead}>
        <a className={`mt-6 ${buttonClass({ tone: "primary" })}`} href={HOME}>
          {signIn.submit}
        </a>
      </Welcome>
    );
  return (
    <Welcome title={reset.title} lead={offer === undefined ? reset.wait : reset.lead(offer.email)}>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {error === null && offer === undefined && <SkeletonLines className="mt-6" lines={2} />}
      {offer !== undefined && <NewPassword token={token} email={offer.email} onDone={() => setDone(true)} />}
    </Welcome>
  );
}

interface NewPasswordProps {
  token: string;
  email: string;
  onDone: () => void;
}

function NewPassword({ token, email, onDone }: NewPasswordProps) {
  const words = useWords();
  const { reset } = useWelcomeWords();
  const { register, handleSubmit, setError, formState } = useForm({ defaultValues: { password: "" } });
  const submit = handleSubmit(async ({ password }) => {
    const input = { token, password };
    if ("password" in bodyProblems("resetPassword", input))
      return setError("password", { message: reset.passwordHelp });
    try {
      await call("resetPassword", input);
      // The service has ended the session of this browser too.
      endSession({ ended: false });
      onDone();
    } catch (error) {
      if (isFailure(error, "badParameter"))
        return setError("password", { message: words.problems.passwordWeak });
      const message = isFailure(error, "notFound") ? reset.closedLead : problemOf(error, words).title;
      setError("password", { message });
    }
  });
  return (
    <form className="mt-6 flex flex-col gap-4" onSubmit={(event) => void submit(event)} noValidate>
      {/* So that a password manager knows whose password it stores. */}
      <input type="text" autoComplete="username" value={email} readOnly hidden />
      <Field label={reset.password} help={reset.passwordHelp} problem={formState.errors.password?.message}>
        <Input type="password" autoComplete="new-password" autoFocus {...register("password")} />
      </Field>
      <Button tone="primary" type="submit" busy={formState.isSubmitting}>
        {reset.submit}
      </Button>
    </form>
  );
}

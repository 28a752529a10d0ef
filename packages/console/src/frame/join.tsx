import { isFailure } from "@signalbox/sdk";
import { useForm } from "react-hook-form";
import { Button, buttonClass, Field, Input, Problem, problemOf, SkeletonLines } from "../design/index.ts";
import { beginSession, call, useCall } from "../service/index.ts";
import { useWords } from "../words/index.ts";
import { Welcome } from "./welcome.tsx";

const HOME = "/console/";

export function Join({ token }: { token: string }) {
  const words = useWords();
  const { data: offer, error, refetch } = useCall("lookAtInvitation", { token });
  if (isFailure(error, "notFound") || isFailure(error, "badParameter"))
    return (
      <Welcome title={words.join.closed} lead={words.join.closedLead}>
        <a className={`mt-6 ${buttonClass({ tone: "primary" })}`} href={HOME}>
          {words.signIn.submit}
        </a>
      </Welcome>
    );
  const lead =
    offer === undefined
      ? words.join.wait
      : words.join.lead(words.join.roles[offer.role], offer.agent_name ?? undefined);
  return (
    <Welcome title={words.join.title} lead={lead}>
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      {error === null && offer === undefined && <SkeletonLines className="mt-6" lines={4} />}
      {offer !== undefined && <JoinForm token={token} email={offer.email} />}
    </Welcome>
  );
}

function JoinForm({ token, email }: { token: string; email: string | null }) {
  const words = useWords();
  const { register, handleSubmit, setError, formState } = useForm({
    defaultValues: { name: "", email: email ?? "", password: "" },
  });
  const submit = handleSubmit(async (input) => {
    try {
      await call("acceptInvitation", { token, ...input });
      beginSession({ isAccount: true });
      // The link has done its work; it stays in no history.
      location.replace(HOME);
    } catch (error) {
      setError("password", { message: refusalOf(error) });
    }
  });
  const refusalOf = (error: unknown) => {
    if (isFailure(error, "badParameter")) return words.join.incomplete;
    if (isFailure(error, "stateConflict")) return words.join.taken;
    if (isFailure(error, "notFound")) return words.join.closedLead;
    return problemOf(error, words).title;
  };
  return (
    <form className="mt-6 flex flex-col gap-4" onSubmit={(event) => void submit(event)} noValidate>
      <Field label={words.join.name}>
        <Input autoComplete="name" autoFocus {...register("name")} />
      </Field>
      <Field label={words.signIn.email}>
        <Input type="email" autoComplete="username" readOnly={email !== null} {...register("email")} />
      </Field>
      <Field
        label={words.signIn.password}
        help={words.join.passwordHelp}
        problem={formState.errors.password?.message}
      >
        <Input type="password" autoComplete="new-password" {...register("password")} />
      </Field>
      <Button tone="primary" type="submit" busy={formState.isSubmitting}>
        {words.join.submit}
      </Button>
    </form>
  );
}

import type { InvitationOffer } from "@signalbox/contract";
import { isFailure } from "@signalbox/sdk";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { Button, buttonClass, Field, Input, Problem, problemOf, SkeletonLines } from "../design/index.ts";
import { beginSession, bodyProblems, call, signOut, useAccount, useCall } from "../service/index.ts";
import { useWords } from "../words/index.ts";
import { AccountSignIn } from "./account-sign-in.tsx";
import { OidcButton } from "./oidc-button.tsx";
import { useWelcomeWords } from "./welcome-words.ts";
import { Welcome } from "./welcome.tsx";

const HOME = "/console/";

/** The link has done its work; it stays in no history. */
const goHome = () => location.replace(HOME);

export function Join({ token }: { token: string }) {
  const { join, signIn } = useWelcomeWords();
  const { data: offer, error, refetch } = useCall("lookAtInvitation", { token });
  const { data: session, isAccount, isPending } = useAccount();
  /** Chosen by hand: with the account one has, or with a new one. */
  const [withAccount, setWithAccount] = useState<boolean>();
  const [problem, setProblem] = useState<string>();
  const words = useWords();

  if (isFailure(error, "notFound") || isFailure(error, "badParameter"))
    return (
      <Welcome title={join.closed} lead={join.closedLead}>
        <a className={`mt-6 ${buttonClass({ tone: "primary" })}`} href={HOME}>
          {signIn.submit}
        </a>
      </Welcome>
    );
  if (offer === undefined || (isAccount && isPending))
    return (
      <Welcome title={join.title} lead={join.wait}>
        {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
        {error === null && <SkeletonLines className="mt-6" lines={4} />}
      </Welcome>
    );
  const accept = async () => {
    try {
      await call("joinWithAccount", { token });
      goHome();
    } catch (failure) {
      if (isFailure(failure, "stateConflict")) setProblem(join.alreadyHave);
      else if (isFailure(failure, "notFound")) setProblem(join.closedLead);
      else setProblem(problemOf(failure, words).title);
    }
  };
  const invited = join.lead(join.roles[offer.role], offer.agent_name ?? undefined);
  if (session !== undefined)
    return (
      <Welcome title={join.acceptTitle} lead={invited}>
        <AcceptWithAccount
          account={session.account}
          offer={offer}
          problem={problem}
          onAccept={accept}
          onLeave={() => void signOut()}
        />
      </Welcome>
    );
  const email = offer.email ?? undefined;
  if (withAccount ?? offer.has_account)
    return (
      <Welcome title={join.acceptTitle} lead={`${invited} ${join.signInLead}`}>
        <OidcButton invitation={token} />
        <AccountSignIn email={email} onDone={accept} />
        {!offer.has_account && <Other label={join.newAccount} onPress={() => setWithAccount(false)} />}
      </Welcome>
    );
  return (
    <Welcome title={join.title} lead={invited}>
      <OidcButton invitation={token} />
      <NewAccount token={token} email={offer.email} />
      <Other label={join.haveAccount} onPress={() => setWithAccount(true)} />
    </Welcome>
  );
}

function Other({ label, onPress }: { label: string; onPress: () => void }) {
  return (
    <Button tone="quiet" className="mt-3 w-full" onClick={onPress}>
      {label}
    </Button>
  );
}

interface AcceptWithAccountProps {
  account: { name: string; email: string };
  offer: InvitationOffer;
  problem: string | undefined;
  onAccept: () => Promise<void>;
  onLeave: () => void;
}

function AcceptWithAccount({ account, offer, problem, onAccept, onLeave }: AcceptWithAccountProps) {
  const words = useWords();
  const { join } = useWelcomeWords();
  const [busy, setBusy] = useState(false);
  const isOther = offer.email !== null && offer.email !== account.email;
  const accept = async () => {
    setBusy(true);
    await onAccept();
    setBusy(false);
  };
  return (
    <div className="mt-6 flex flex-col gap-3">
      <p className="text-sm text-ink">{join.signedInAs(account.name, account.email)}</p>
      {isOther && <p className="text-sm text-bad">{join.forAnother(offer.email ?? "")}</p>}
      {problem !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {problem}
        </p>
      )}
      {!isOther && (
        <Button tone="primary" autoFocus busy={busy} onClick={() => void accept()}>
          {join.accept}
        </Button>
      )}
      <Button tone={isOther ? "primary" : "quiet"} onClick={onLeave}>
        {isOther ? words.frame.signOut : join.otherAccount}
      </Button>
    </div>
  );
}

function NewAccount({ token, email }: { token: string; email: string | null }) {
  const words = useWords();
  const { join, signIn } = useWelcomeWords();
  const { register, handleSubmit, setError, formState } = useForm({
    defaultValues: { name: "", email: email ?? "", password: "" },
  });
  const submit = handleSubmit(async (input) => {
    if (Object.keys(bodyProblems("acceptInvitation", { token, ...input })).length > 0)
      return setError("password", { message: join.incomplete });
    try {
      await call("acceptInvitation", { token, ...input });
      beginSession({ isAccount: true });
      goHome();
    } catch (error) {
      setError("password", { message: refusalOf(error) });
    }
  });
  const refusalOf = (error: unknown) => {
    if (isFailure(error, "badParameter")) return words.problems.passwordWeak;
    if (isFailure(error, "stateConflict")) return join.taken;
    if (isFailure(error, "notFound")) return join.closedLead;
    return problemOf(error, words).title;
  };
  return (
    <form className="mt-6 flex flex-col gap-4" onSubmit={(event) => void submit(event)} noValidate>
      <Field label={join.name}>
        <Input autoComplete="name" autoFocus {...register("name")} />
      </Field>
      <Field label={signIn.email}>
        <Input type="email" autoComplete="username" readOnly={email !== null} {...register("email")} />
      </Field>
      <Field label={signIn.password} help={join.passwordHelp} problem={formState.errors.password?.message}>
        <Input type="password" autoComplete="new-password" {...register("password")} />
      </Field>
      <Button tone="primary" type="submit" busy={formState.isSubmitting}>
        {join.submit}
      </Button>
    </form>
  );
}

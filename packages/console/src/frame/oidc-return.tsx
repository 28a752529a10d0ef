import { isFailure } from "@signalbox/sdk";
import { useEffect, useRef, useState } from "react";
import { buttonClass, problemOf, SkeletonLines } from "../design/index.ts";
import { beginSession, call } from "../service/index.ts";
import { useWords } from "../words/index.ts";
import { CodeForm } from "./account-sign-in.tsx";
import { takeInvitation } from "./kept-invitation.ts";
import { useWelcomeWords } from "./welcome-words.ts";
import { Welcome } from "./welcome.tsx";

const HOME = "/console/";
const goHome = () => location.replace(HOME);

/** Where the identity provider leads back to. */
export function OidcReturn() {
  const words = useWords();
  const { oidc, signIn } = useWelcomeWords();
  const [problem, setProblem] = useState<string>();
  const [needsCode, setNeedsCode] = useState(false);
  const invitation = useRef<string>(undefined);
  const isBegun = useRef(false);

  const done = async () => {
    beginSession({ isAccount: true });
    // An account that the invitation created has used it up; any other gets its role.
    if (invitation.current !== undefined)
      await call("joinWithAccount", { token: invitation.current }).catch(() => undefined);
    goHome();
  };
  const finish = async () => {
    const answer = new URLSearchParams(location.search);
    invitation.current = takeInvitation();
    const [code, state] = [answer.get("code"), answer.get("state")];
    if (code === null || state === null) return setProblem(oidc.calledOff);
    try {
      const reply = await call("finishOidcSignIn", {
        authorization_code: code,
        oidc_state: state,
        oidc_issuer: answer.get("iss"),
        invitation_token: invitation.current ?? null,
      });
      if ("second_factor" in reply) setNeedsCode(true);
      else await done();
    } catch (error) {
      if (isFailure(error, "noAccount")) setProblem(oidc.unknown);
      else if (isFailure(error, "developerAuth") || isFailure(error, "signInExpired"))
        setProblem(oidc.failed);
      else setProblem(problemOf(error, words).detail);
    }
  };
  useEffect(() => {
    // Once, also where effects run twice: a code is worth something once.
    if (isBegun.current) return;
    isBegun.current = true;
    void finish();
  });
  if (needsCode)
    return (
      <Welcome title={signIn.title} lead={signIn.lead}>
        <CodeForm onDone={done} onBack={goHome} />
      </Welcome>
    );
  return (
    <Welcome title={signIn.title} lead={problem ?? oidc.wait}>
      {problem === undefined ? (
        <SkeletonLines className="mt-6" lines={2} />
      ) : (
        <a className={`mt-6 ${buttonClass({ tone: "primary" })}`} href={HOME}>
          {signIn.back}
        </a>
      )}
    </Welcome>
  );
}

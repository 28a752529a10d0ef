import { useState } from "react";
import { Button, problemOf } from "../design/index.ts";
import { call, useCall } from "../service/index.ts";
import { useWords } from "../words/index.ts";
import { keepInvitation } from "./kept-invitation.ts";
import { useWelcomeWords } from "./welcome-words.ts";

/** Leads to the identity provider, if there is one. */
export function OidcButton({ invitation }: { invitation?: string }) {
  const words = useWords();
  const { oidc } = useWelcomeWords();
  const { data } = useCall("getSignInWays", {});
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const label = data?.oidc_label ?? null;
  if (label === null) return null;
  const leave = async () => {
    setBusy(true);
    try {
      const { authorization_url } = await call("startOidcSignIn", {});
      keepInvitation(invitation);
      location.assign(authorization_url);
    } catch (error) {
      setProblem(problemOf(error, words).detail);
      setBusy(false);
    }
  };
  return (
    <div className="mt-6 flex flex-col gap-4">
      <Button busy={busy} onClick={() => void leave()}>
        {oidc.button(label)}
      </Button>
      {problem !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {problem}
        </p>
      )}
      <p className="flex items-center gap-3 text-xs text-ink-faint before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        {oidc.or}
      </p>
    </div>
  );
}

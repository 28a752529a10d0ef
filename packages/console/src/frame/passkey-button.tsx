import { isFailure } from "@signalbox/sdk";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { Button, problemOf } from "../design/index.ts";
import { beginSession } from "../service/index.ts";
import { PasskeyNotUsed, signInWithPasskey, usePasskeysWork } from "../service/passkeys.ts";
import { useWords } from "../words/index.ts";
import { useWelcomeWords } from "./welcome-words.ts";

/** In place of email, password and code. */
export function PasskeyButton() {
  const words = useWords();
  const { passkey } = useWelcomeWords();
  const works = usePasskeysWork();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  if (!works) return null;
  const signIn = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await signInWithPasskey();
      beginSession({ isAccount: true });
    } catch (error) {
      setProblem(problemText(error));
      setBusy(false);
    }
  };
  const problemText = (error: unknown) => {
    if (error instanceof PasskeyNotUsed) return passkey.notUsed;
    if (isFailure(error, "noAccount")) return passkey.unknown;
    if (isFailure(error, "developerAuth")) return passkey.failed;
    return problemOf(error, words).title;
  };
  return (
    <div className="mt-3 flex flex-col gap-2">
      <Button busy={busy} onClick={() => void signIn()} icon={<KeyRound className="size-4" aria-hidden />}>
        {passkey.button}
      </Button>
      {problem !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {problem}
        </p>
      )}
    </div>
  );
}

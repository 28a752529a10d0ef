import { useSyncExternalStore } from "react";

/** Of this tab alone, and gone with it. */
const TOKEN_KEY = "signalbox.operator-token";
/** Says to every tab that this browser has the cookie of an account; the cookie itself no script can read. */
const ACCOUNT_KEY = "signalbox.account";

/** With an operator token, or with an account whose session is a cookie. */
export type Session = { operatorToken: string } | { isAccount: true };

let current: Session | undefined = stored();
/** Said on the sign-in page to whoever did not sign out by themselves. */
let hasEnded = false;
const listeners = new Set<() => void>();

function stored(): Session | undefined {
  const operatorToken = sessionStorage.getItem(TOKEN_KEY);
  if (operatorToken !== null) return { operatorToken };
  return localStorage.getItem(ACCOUNT_KEY) === null ? undefined : { isAccount: true };
}

export function getSession(): Session | undefined {
  return current;
}

export function beginSession(session: Session): void {
  if ("isAccount" in session) {
    // A token of this tab would win over the account after a reload.
    sessionStorage.removeItem(TOKEN_KEY);
    localStorage.setItem(ACCOUNT_KEY, "signed in");
  } else sessionStorage.setItem(TOKEN_KEY, session.operatorToken);
  hasEnded = false;
  change(session);
}

/** `ended`: the service refused it, and nobody signed out. */
export function endSession({ ended }: { ended: boolean }): void {
  if (current === undefined) return;
  sessionStorage.removeItem(TOKEN_KEY);
  localStorage.removeItem(ACCOUNT_KEY);
  hasEnded = ended;
  change(undefined);
}

export function sessionHasEnded(): boolean {
  return hasEnded;
}

function change(session: Session | undefined): void {
  current = session;
  for (const listener of listeners) listener();
}

export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSession(): Session | undefined {
  return useSyncExternalStore(onSessionChange, getSession);
}

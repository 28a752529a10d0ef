import { useSyncExternalStore } from "react";

/** Kept for this tab alone, and gone with it. */
const TOKEN_KEY = "signalbox.operator-token";
/** Says to every tab that this browser has the cookie of an account; the cookie itself no script can read. */
const ACCOUNT_KEY = "signalbox.account";

/** With an operator token, or with an account whose session is a cookie. */
export type Session = { operatorToken: string } | { isAccount: true };

let current: Session | undefined = stored();
/** Why nobody is signed in: the sign-in page says it to a person who did not sign out. */
export type SessionEnd = "ended" | "linkUsed" | "linkOld";
let lastEnd: SessionEnd | undefined;
/** The fault of the link that led here; of no interest once a call was answered. */
let brokenLink: SessionEnd | undefined;
const listeners = new Set<() => void>();

function stored(): Session | undefined {
  const operatorToken = sessionStorage.getItem(TOKEN_KEY);
  if (operatorToken !== null) return { operatorToken };
  return localStorage.getItem(ACCOUNT_KEY) === null ? undefined : { isAccount: true };
}

export function getSession(): Session | undefined {
  return current;
}

export function beginSession(session: Session, link?: SessionEnd): void {
  brokenLink = link;
  if ("isAccount" in session) {
    // A token of this tab would win over the account after a reload.
    sessionStorage.removeItem(TOKEN_KEY);
    localStorage.setItem(ACCOUNT_KEY, "signed in");
  } else sessionStorage.setItem(TOKEN_KEY, session.operatorToken);
  lastEnd = undefined;
  change(session);
}

/** `ended`: the service refused it, and nobody signed out. */
export function endSession({ ended }: { ended: boolean }): void {
  if (current === undefined) return;
  sessionStorage.removeItem(TOKEN_KEY);
  localStorage.removeItem(ACCOUNT_KEY);
  lastEnd = ended ? (brokenLink ?? "ended") : undefined;
  brokenLink = undefined;
  change(undefined);
}

/** The service took the session, however it began. */
export function confirmSession(): void {
  brokenLink = undefined;
}

export function lastSessionEnd(): SessionEnd | undefined {
  return lastEnd;
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

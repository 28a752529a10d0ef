/** While the browser is at the identity provider; of this tab alone. */
const KEY = "signalbox.invitation";

export function keepInvitation(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, token);
}

export function takeInvitation(): string | undefined {
  const token = sessionStorage.getItem(KEY) ?? undefined;
  sessionStorage.removeItem(KEY);
  return token;
}

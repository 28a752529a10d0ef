import { AccountPath, Session } from "../accounts.ts";
import * as factor from "../second-factor.ts";
import { Acknowledged } from "../values.ts";
import { BROWSER, OPERATOR, SELF } from "./accounts.ts";
import { MANAGE, type Route } from "./route.ts";

const totp = "/admin/v1/account/totp";

/** One-time codes as a second factor of signing in. */
export const secondFactorRoutes = {
  confirmSignIn: {
    method: "POST",
    path: "/admin/v1/session/second-factor",
    ...BROWSER,
    sdk: "session.confirm",
    summary: "Finish signing in with a one-time code, in the browser that gave the password",
    body: factor.ConfirmSignInRequest,
    reply: Session,
    failures: ["signInExpired", "developerAuth", "missingScope", "tooManyRequests"],
  },
  getSecondFactor: {
    method: "GET",
    path: "/admin/v1/account/second-factor",
    ...SELF,
    sdk: "account.getSecondFactor",
    summary: "Read whether you sign in with one-time codes",
    reply: factor.SecondFactor,
    failures: ["missingScope"],
  },
  startTotp: {
    method: "POST",
    path: totp,
    ...SELF,
    sdk: "account.startTotp",
    summary: "Start to use one-time codes; the secret for the app is shown once",
    body: factor.StartTotpRequest,
    reply: factor.TotpEnrolment,
    failures: ["wrongPassword", "missingScope", "tooManyRequests"],
  },
  confirmTotp: {
    method: "POST",
    path: `${totp}/confirm`,
    ...SELF,
    sdk: "account.confirmTotp",
    summary: "Turn one-time codes on with the first of them; the recovery codes are shown once",
    body: factor.ConfirmTotpRequest,
    reply: factor.RecoveryCodes,
    failures: ["missingScope"],
  },
  disableTotp: {
    method: "POST",
    path: `${totp}/disable`,
    ...SELF,
    sdk: "account.disableTotp",
    summary: "Turn one-time codes off, with your password and a code",
    body: factor.DisableTotpRequest,
    reply: Acknowledged,
    failures: ["wrongPassword", "missingScope", "tooManyRequests"],
  },
  resetSecondFactor: {
    method: "DELETE",
    path: "/admin/v1/accounts/:account_id/second-factor",
    ...OPERATOR,
    scopes: MANAGE,
    sdk: "accounts.resetSecondFactor",
    summary:
      "Turn off the one-time codes and remove the passkeys of somebody who lost them, and end their sessions",
    params: AccountPath,
    reply: Acknowledged,
    failures: ["stateConflict"],
  },
} as const satisfies Record<string, Route>;

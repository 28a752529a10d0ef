import { AccountPath } from "../accounts.ts";
import * as reset from "../password-reset.ts";
import { Acknowledged } from "../values.ts";
import { BROWSER, OPERATOR } from "./accounts.ts";
import { MANAGE, type Route } from "./route.ts";

const resets = "/admin/v1/password-resets";

/** A new password for somebody who forgot theirs. */
export const passwordResetRoutes = {
  createPasswordReset: {
    method: "POST",
    path: "/admin/v1/accounts/:account_id/password-reset",
    ...OPERATOR,
    scopes: MANAGE,
    sdk: "passwordResets.create",
    summary: "Create a link with which somebody sets a new password; it is shown once and lasts an hour",
    params: AccountPath,
    reply: reset.CreatedPasswordReset,
  },
  lookAtPasswordReset: {
    method: "POST",
    path: `${resets}/look`,
    ...BROWSER,
    sdk: "passwordResets.look",
    summary: "Read whose password a link sets",
    body: reset.PasswordResetToken,
    reply: reset.PasswordResetOffer,
    failures: ["notFound", "missingScope", "tooManyRequests"],
  },
  resetPassword: {
    method: "POST",
    path: `${resets}/use`,
    ...BROWSER,
    sdk: "passwordResets.use",
    summary: "Set a new password with a link and end all sessions of the account",
    body: reset.ResetPasswordRequest,
    reply: Acknowledged,
    failures: ["notFound", "missingScope", "tooManyRequests"],
  },
} as const satisfies Record<string, Route>;

import { Session } from "../accounts.ts";
import * as passkeys from "../passkeys.ts";
import { Acknowledged } from "../values.ts";
import { BROWSER, SELF } from "./accounts.ts";
import type { Route } from "./route.ts";

const own = "/admin/v1/account/passkeys";
const onePasskey = `${own}/:passkey_id` as const;
const signIn = "/admin/v1/session/passkey";
const CREDENTIAL_LIMIT_BYTES = 64 * 1024;

/** Signing in with a key on one's device, in place of password and one-time code. */
export const passkeyRoutes = {
  listPasskeys: {
    method: "GET",
    path: own,
    ...SELF,
    sdk: "passkeys.list",
    summary: "List your passkeys",
    reply: passkeys.PasskeyList,
    failures: ["missingScope"],
  },
  startPasskey: {
    method: "POST",
    path: `${own}/start`,
    ...SELF,
    sdk: "passkeys.start",
    summary: "Start to add a passkey, with your password; the browser creates it from the reply",
    body: passkeys.StartPasskeyRequest,
    reply: passkeys.PasskeyOptions,
    failures: ["wrongPassword", "notFound", "stateConflict", "missingScope", "tooManyRequests"],
  },
  createPasskey: {
    method: "POST",
    path: own,
    ...SELF,
    sdk: "passkeys.create",
    summary: "Add the passkey that the browser created",
    body: passkeys.CreatePasskeyRequest,
    reply: passkeys.Passkey,
    failures: ["notFound", "stateConflict", "missingScope"],
    bodyLimitBytes: CREDENTIAL_LIMIT_BYTES,
  },
  renamePasskey: {
    method: "PUT",
    path: onePasskey,
    ...SELF,
    sdk: "passkeys.rename",
    summary: "Rename one of your passkeys",
    params: passkeys.PasskeyPath,
    body: passkeys.RenamePasskeyRequest,
    reply: passkeys.Passkey,
    failures: ["missingScope"],
  },
  deletePasskey: {
    method: "DELETE",
    path: onePasskey,
    ...SELF,
    sdk: "passkeys.delete",
    summary: "Remove one of your passkeys: it signs nobody in from then on",
    params: passkeys.PasskeyPath,
    reply: Acknowledged,
    failures: ["missingScope"],
  },
  startPasskeySignIn: {
    method: "POST",
    path: signIn,
    ...BROWSER,
    sdk: "session.startPasskey",
    summary: "Start to sign in with a passkey; the browser asks which one",
    reply: passkeys.PasskeyOptions,
    failures: ["notFound", "missingScope", "tooManyRequests"],
  },
  finishPasskeySignIn: {
    method: "POST",
    path: `${signIn}/finish`,
    ...BROWSER,
    sdk: "session.finishPasskey",
    summary: "Sign in with what the passkey answered, in the browser that started it; no code is asked for",
    body: passkeys.FinishPasskeySignInRequest,
    reply: Session,
    failures: ["noAccount", "developerAuth", "notFound", "missingScope", "tooManyRequests"],
    bodyLimitBytes: CREDENTIAL_LIMIT_BYTES,
  },
} as const satisfies Record<string, Route>;

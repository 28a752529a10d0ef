import * as oidc from "../oidc.ts";
import { SignInReply } from "../second-factor.ts";
import { BROWSER } from "./accounts.ts";
import type { Route } from "./route.ts";

/** Signing in at an identity provider. */
export const oidcRoutes = {
  getSignInWays: {
    method: "GET",
    path: "/admin/v1/sign-in-ways",
    ...BROWSER,
    sdk: "session.getWays",
    summary: "Read how people can sign in, beside email and password",
    reply: oidc.SignInWays,
    failures: ["tooManyRequests"],
  },
  startOidcSignIn: {
    method: "POST",
    path: "/admin/v1/oidc/start",
    ...BROWSER,
    sdk: "session.startOidc",
    summary: "Start to sign in at the identity provider; it leads back to `/console/oidc`",
    reply: oidc.OidcSignIn,
    failures: ["notFound", "missingScope", "tooManyRequests"],
  },
  finishOidcSignIn: {
    method: "POST",
    path: "/admin/v1/oidc/finish",
    ...BROWSER,
    sdk: "session.finishOidc",
    summary: "Finish signing in with what the identity provider answered, in the browser that started it",
    body: oidc.FinishOidcSignInRequest,
    reply: SignInReply,
    failures: ["signInExpired", "noAccount", "developerAuth", "notFound", "missingScope", "tooManyRequests"],
  },
} as const satisfies Record<string, Route>;

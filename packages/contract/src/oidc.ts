import { z } from "zod";
import { invitationToken } from "./account-fields.ts";
import { words } from "./values.ts";

// Signing in with an account at an identity provider (OpenID Connect), if the operator configured one.

export const SignInWays = z
  .object({
    oidc_label: z
      .string()
      .nullable()
      .describe("Name of the identity provider, for a button; null: none is configured"),
    passkeys: z.boolean().describe("Passkeys can be used: PUBLIC_URL has a host name, over HTTPS"),
  })
  .meta({ id: "SignInWays" });
export type SignInWays = z.output<typeof SignInWays>;

export const OidcSignIn = z
  .object({ authorization_url: z.string().describe("Where the browser goes next, at the identity provider") })
  .meta({ id: "OidcSignIn" });
export type OidcSignIn = z.output<typeof OidcSignIn>;

export const FinishOidcSignInRequest = z
  .strictObject({
    authorization_code: words(4_096).describe("`code` of the address that the provider led back to"),
    oidc_state: words(512).describe("`state` of that address"),
    oidc_issuer: words(512).nullish().describe("`iss` of that address, where it has one (RFC 9207)"),
    invitation_token: invitationToken
      .nullish()
      .describe(
        "Token of an invitation's link; without one, an open invitation for the email address is used",
      ),
  })
  .meta({ id: "FinishOidcSignInRequest" });

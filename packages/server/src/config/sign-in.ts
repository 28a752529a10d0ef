import { isIP } from "node:net";
import { z } from "zod";

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

export const signInSettings = z.object({
  OIDC_ISSUER: z
    .url({ protocol: /^https?$/ })
    .refine(
      (value) => !value.startsWith("http:") || LOOPBACK.test(new URL(value).hostname),
      "Must use https, except on this machine",
    )
    .optional()
    .describe(
      "Issuer URL of an OpenID Connect provider with which people can sign in to the console. Needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET. Register `/console/oidc` of this service as redirect URI",
    ),
  OIDC_CLIENT_ID: z.string().optional().describe("Client id that the provider gave you"),
  OIDC_CLIENT_SECRET: z.string().optional().describe("Client secret that the provider gave you"),
  OIDC_LABEL: z
    .string()
    .max(40)
    .default("single sign-on")
    .describe('Name of the provider on the sign-in page: "Sign in with ..."'),
});

export interface OidcConfig {
  issuer: string;
  clientId: string;
  clientSecret: string;
  label: string;
}

type Settings = z.infer<typeof signInSettings>;

/** Names the settings that are missing beside the issuer, or that have no issuer. */
export function oidcMistake({
  OIDC_ISSUER,
  OIDC_CLIENT_ID,
  OIDC_CLIENT_SECRET,
}: Settings): string | undefined {
  const given = [OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET].filter((value) => value !== undefined);
  return given.length === 0 || given.length === 3
    ? undefined
    : "OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set together";
}

export function readSignIn(settings: Settings) {
  const oidc = readOidc(settings);
  return { oidc, outbound: oidc === undefined ? NOWHERE : rulesFor(oidc) };
}

function readOidc(settings: Settings): OidcConfig | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = settings;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return { issuer, clientId, clientSecret, label: settings.OIDC_LABEL };
}

export interface AddressRules {
  allowedHosts: { host: string; port: number }[];
  allowedRanges: { range: string; port: number }[];
}

const NOWHERE: AddressRules = { allowedHosts: [], allowedRanges: [] };

/** The operator chose the issuer, so it may be in the private network; whatever else it names may not. */
function rulesFor({ issuer }: OidcConfig): AddressRules {
  const { hostname, port: given, protocol } = new URL(issuer);
  const port = given === "" ? (protocol === "https:" ? 443 : 80) : Number(given);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return isIP(host) === 0
    ? { allowedHosts: [{ host, port }], allowedRanges: [] }
    : { allowedHosts: [], allowedRanges: [{ range: host, port }] };
}

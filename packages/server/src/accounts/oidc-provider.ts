import * as oidc from "openid-client";
import type { Outbound } from "../platform/index.ts";

const TIMEOUT_MS = 10_000;
/** What a provider says of itself and its keys is small. */
const REPLY_BYTES_MAX = 1_048_576;
/** Its endpoints move rarely; its keys are fetched again by the library when an unknown one is used. */
const KNOWN_FOR_MS = 3_600_000;

export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
}

/** The state of a sign-in while the browser is at the provider. */
export interface OidcAttempt {
  state: string;
  nonce: string;
  verifier: string;
  redirectUri: string;
}

/** Who the provider says it is. */
export interface OidcPerson {
  issuer: string;
  subject: string;
  /** Only where the provider has verified it. */
  verifiedEmail: string | undefined;
  name: string | undefined;
}

export interface OidcProvider {
  begin(redirectUri: string): Promise<{ attempt: OidcAttempt; url: string }>;
  /** Throws where the answer is not the provider's, for us, for this attempt and now. */
  finish(attempt: OidcAttempt, answer: { code: string; state: string; issuer?: string }): Promise<OidcPerson>;
}

/** Authorization code with PKCE, state and nonce; the ID token's signature is checked against the provider's keys. */
export function openOidcProvider(
  { issuer, clientId, clientSecret }: OidcSettings,
  outbound: Pick<Outbound, "stream">,
): OidcProvider {
  let known: { at: number; configuration: Promise<oidc.Configuration> } | undefined;

  function configuration(): Promise<oidc.Configuration> {
    if (known !== undefined && performance.now() - known.at < KNOWN_FOR_MS) return known.configuration;
    const discovered = oidc.discovery(new URL(issuer), clientId, clientSecret, undefined, {
      execute: [
        oidc.enableNonRepudiationChecks,
        // Only on this machine: config/sign-in.ts takes no other issuer without TLS.
        // oxlint-disable-next-line typescript/no-deprecated -- a warning of its author, not an end
        ...(issuer.startsWith("http:") ? [oidc.allowInsecureRequests] : []),
      ],
      [oidc.customFetch]: (url, options) => exchange(outbound, url, options),
    });
    const mine = { at: performance.now(), configuration: discovered };
    known = mine;
    // The next sign-in tries again after a failure.
    discovered.catch(() => {
      if (known === mine) known = undefined;
    });
    return discovered;
  }

  return {
    async begin(redirectUri) {
      const config = await configuration();
      const attempt = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
        redirectUri,
      };
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: "openid email profile",
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: "S256",
      });
      return { attempt, url: url.href };
    },

    async finish({ state, nonce, verifier, redirectUri }, answer) {
      const config = await configuration();
      const callback = new URL(redirectUri);
      callback.searchParams.set("code", answer.code);
      callback.searchParams.set("state", answer.state);
      if (answer.issuer !== undefined) callback.searchParams.set("iss", answer.issuer);
      const tokens = await oidc.authorizationCodeGrant(config, callback, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new Error("the provider sent no ID token");
      const person =
        claims["email"] === undefined
          ? { ...claims, ...(await oidc.fetchUserInfo(config, tokens.access_token, claims.sub)) }
          : claims;
      const { email, email_verified, name } = person as Record<string, unknown>;
      return {
        issuer: claims.iss,
        subject: claims.sub,
        verifiedEmail: typeof email === "string" && email_verified === true ? email.toLowerCase() : undefined,
        name: typeof name === "string" && name.trim() !== "" ? name.trim().slice(0, 100) : undefined,
      };
    },
  };
}

/** The library over our own way out, which follows no redirect and calls no address that it should not. */
async function exchange(
  outbound: Pick<Outbound, "stream">,
  url: string,
  { method, headers, body, signal }: oidc.CustomFetchOptions,
): Promise<Response> {
  const answer = await outbound.stream({
    url,
    method: method === "GET" ? "GET" : "POST",
    headers,
    // The library sends forms alone.
    ...(body instanceof URLSearchParams || typeof body === "string" ? { body: body.toString() } : {}),
    timeoutMs: TIMEOUT_MS,
    ...(signal === undefined ? {} : { signal }),
  });
  if (answer.kind === "unanswered") throw new Error(`${new URL(url).host}: ${answer.detail}`);
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer.body) {
    bytes += chunk.length;
    if (bytes > REPLY_BYTES_MAX) throw new Error(`the reply has more than ${REPLY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  const status = answer.status < 200 ? 502 : answer.status;
  const isEmpty = status === 204 || status === 304;
  return new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers: answer.headers });
}

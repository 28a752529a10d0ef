import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from "jose";

/** The person signed in at the provider, and its claims about them. */
export interface OidcClaims extends JWTPayload {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
}

/** A small OpenID Connect provider on this machine: authorization code with PKCE, discovery and keys. */
export interface OidcTestProvider extends AsyncDisposable {
  /** What a service must be told of it. */
  environment: Record<string, string>;
  /** What the next ID token says; a claim that is given wins over what is right. */
  claims: OidcClaims;
  /** The next ID tokens are signed with a key that the provider does not publish. */
  forges: boolean;
}

interface Issued {
  nonce: string;
  challenge: string;
  redirectUri: string;
}

export async function startOidcProvider(): Promise<OidcTestProvider> {
  const [real, forged] = [await generateKeyPair("RS256"), await generateKeyPair("RS256")];
  const jwk = { ...(await exportJWK(real.publicKey)), kid: "k1", alg: "RS256", use: "sig" };
  const codes = new Map<string, Issued>();
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clientId = "signalbox";
  const clientSecret = randomBytes(16).toString("hex");
  const provider: OidcTestProvider = {
    environment: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret },
    claims: { sub: "nobody" },
    forges: false,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", issuer);
    const json = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return void json(200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256"],
          code_challenge_methods_supported: ["S256"],
          authorization_response_iss_parameter_supported: true,
        });
      case "/keys":
        return void json(200, { keys: [jwk] });
      case "/authorize":
        return void response.writeHead(302, { location: authorize(url.searchParams) }).end();
      case "/token": {
        const token = await exchange(new URLSearchParams(await textOf(request)));
        return void (token === undefined ? json(400, { error: "invalid_grant" }) : json(200, token));
      }
      default:
        return void json(404, {});
    }
  }

  function authorize(asked: URLSearchParams): string {
    const code = randomBytes(16).toString("hex");
    codes.set(code, {
      nonce: asked.get("nonce") ?? "",
      challenge: asked.get("code_challenge") ?? "",
      redirectUri: asked.get("redirect_uri") ?? "",
    });
    const back = new URL(asked.get("redirect_uri") ?? "");
    for (const [name, value] of [
      ["code", code],
      ["state", asked.get("state") ?? ""],
      ["iss", issuer],
    ] as const)
      back.searchParams.set(name, value);
    return back.href;
  }

  async function exchange(form: URLSearchParams) {
    const code = form.get("code") ?? "";
    const issued = codes.get(code);
    codes.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isOurs = form.get("client_id") === clientId && form.get("client_secret") === clientSecret;
    if (issued === undefined || !isOurs) return undefined;
    if (issued.challenge !== challenge || issued.redirectUri !== form.get("redirect_uri")) return undefined;
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer,
      aud: clientId,
      iat: now,
      exp: now + 300,
      nonce: issued.nonce,
      ...provider.claims,
    };
    const id_token = await new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256", kid: "k1" })
      .sign(provider.forges ? forged.privateKey : real.privateKey);
    return { access_token: "unused", token_type: "Bearer", expires_in: 300, id_token };
  }

  return provider;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

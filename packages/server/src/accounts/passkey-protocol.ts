import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from "@simplewebauthn/server";
import type { Log } from "../platform/index.ts";

/** The name that passkeys are bound to, and the only page that may use them. */
export interface RelyingParty {
  id: string;
  origin: string;
}

/** Undefined where browsers make no passkeys: for an address that is no name, or without TLS on another machine. */
export function relyingPartyOf(publicUrl: string | undefined): RelyingParty | undefined {
  if (publicUrl === undefined) return undefined;
  const { hostname: id, origin, protocol } = new URL(publicUrl);
  const isAddress = id.startsWith("[") || /^[\d.]+$/.test(id);
  return !isAddress && (protocol === "https:" || id === "localhost") ? { id, origin } : undefined;
}

/** Ed25519, ES256 and RS256: every device has one of them. */
const ALGORITHMS = [-8, -7, -257];
const USER_VERIFIED = "required";

/** Loaded on first use: the library reads certificates and is large. */
const library = () => import("@simplewebauthn/server");

export interface PasskeyOwner {
  id: string;
  email: string;
  name: string;
}

type KnownPasskey = Pick<WebAuthnCredential, "id" | "transports">;

export async function optionsToCreate(
  { id: rpID }: RelyingParty,
  owner: PasskeyOwner,
  known: KnownPasskey[],
  timeout: number,
) {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: "Signalbox",
    rpID,
    userID: userHandleOf(owner.id),
    userName: owner.email,
    userDisplayName: owner.name,
    timeout,
    attestationType: "none",
    excludeCredentials: known,
    authenticatorSelection: { residentKey: "required", userVerification: USER_VERIFIED },
    supportedAlgorithmIDs: ALGORITHMS,
  });
}

/** Names no account: the browser shows which passkeys it has for this name. */
export async function optionsToSignIn({ id: rpID }: RelyingParty, timeout: number) {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({ rpID, timeout, userVerification: USER_VERIFIED });
}

function userHandleOf(accountId: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(accountId);
}

interface Check {
  relyingParty: RelyingParty;
  /** Whether the challenge was ours and open, which it is not from then on. */
  takeChallenge: (challenge: string) => Promise<boolean>;
  log: Log;
}

/** The new passkey; undefined where the answer proves nothing. */
export async function checkCreated(
  credential: Record<string, unknown>,
  { relyingParty, takeChallenge, log }: Check,
): Promise<WebAuthnCredential | undefined> {
  try {
    const { verifyRegistrationResponse } = await library();
    const { registrationInfo } = await verifyRegistrationResponse({
      // Safe because the library looks at each member, and what it throws is caught.
      response: credential as unknown as RegistrationResponseJSON,
      expectedChallenge: takeChallenge,
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return registrationInfo?.credential;
  } catch (error) {
    log.debug("passkey_refused", { err: error });
    return undefined;
  }
}

/** The counter after this signature; undefined where the answer proves nothing. */
export async function checkSignature(
  credential: Record<string, unknown>,
  { accountId, ...passkey }: Omit<WebAuthnCredential, "transports"> & { accountId: string },
  { relyingParty, takeChallenge, log }: Check,
): Promise<number | undefined> {
  // Safe as above.
  const response = credential as unknown as AuthenticationResponseJSON;
  try {
    const { verifyAuthenticationResponse } = await library();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: takeChallenge,
      expectedOrigin: relyingParty.origin,
      expectedRPID: relyingParty.id,
      credential: passkey,
      requireUserVerification: true,
    });
    const handle = Buffer.from(userHandleOf(accountId)).toString("base64url");
    const isOwn = response.response.userHandle === handle;
    return verified && isOwn ? authenticationInfo.newCounter : undefined;
  } catch (error) {
    log.debug("passkey_refused", { err: error });
    return undefined;
  }
}

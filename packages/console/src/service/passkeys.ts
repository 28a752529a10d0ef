import { isFailure } from "@signalbox/sdk";
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import { call, useCall } from "./calls.ts";

// Loaded when a passkey is used.
const library = () => import("@simplewebauthn/browser");

/** Both the service and this browser know passkeys. */
export function usePasskeysWork(): boolean {
  const { data } = useCall("getSignInWays", {});
  return data?.passkeys === true && "PublicKeyCredential" in window;
}

/** The device refused, its owner did, or the service did not believe it. */
export class PasskeyNotUsed extends Error {
  readonly isKnown: boolean;

  constructor(cause: unknown) {
    super("the device made no passkey", { cause });
    this.isKnown = cause instanceof Error && cause.name === "InvalidStateError";
  }
}

export async function addPasskey(name: string, password: string): Promise<void> {
  const { passkey_options } = await call("startPasskey", { password });
  const { startRegistration } = await library();
  // Safe because the service made them with the same library.
  const optionsJSON = passkey_options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const credential = await startRegistration({ optionsJSON }).catch(notUsed);
  await call("createPasskey", { name, credential: { ...credential } }).catch((error: unknown) => {
    throw isFailure(error, "badParameter") ? new PasskeyNotUsed(error) : error;
  });
}

export async function signInWithPasskey(): Promise<void> {
  const { passkey_options } = await call("startPasskeySignIn", {});
  const { startAuthentication } = await library();
  // Safe as above.
  const optionsJSON = passkey_options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const credential = await startAuthentication({ optionsJSON }).catch(notUsed);
  await call("finishPasskeySignIn", { credential: { ...credential } });
}

function notUsed(cause: unknown): never {
  throw new PasskeyNotUsed(cause);
}

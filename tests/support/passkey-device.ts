import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** What a device was told to do otherwise than an honest one would. */
export interface Deviation {
  origin?: string;
  rpId?: string;
  /** Nobody unlocked it. */
  unverified?: boolean;
  /** As a copy of the device would count. */
  counter?: number;
  /** Says whose passkey it is; undefined: its owner's. */
  userHandle?: string;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const NEW_KEY = 0x40;

const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest();
const text = (data: Buffer) => data.toString("base64url");
/** CBOR: a text of at most 23 bytes, and at least 24 and at most 255 bytes, as short as they can be written. */
const cborText = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
const cborBytes = (value: Buffer) => Buffer.concat([Buffer.from([0x58, value.length]), value]);

/** An authenticator in software, with one passkey: WebAuthn without a browser, so that it can also lie. */
export function createPasskeyDevice({ origin, rpId }: { origin: string; rpId: string }) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const id = randomBytes(32);
  let counter = 0;
  let userHandle = "";

  const clientData = (type: string, options: Record<string, unknown>, told: Deviation) =>
    Buffer.from(
      JSON.stringify({
        type,
        challenge: options["challenge"],
        origin: told.origin ?? origin,
        crossOrigin: false,
      }),
    );

  function authenticatorData(told: Deviation, newKey: Buffer | undefined): Buffer {
    counter += 1;
    const counted = Buffer.alloc(4);
    counted.writeUInt32BE(told.counter ?? counter);
    const flags = PRESENT | (told.unverified === true ? 0 : VERIFIED) | (newKey === undefined ? 0 : NEW_KEY);
    return Buffer.concat([
      sha256(told.rpId ?? rpId),
      Buffer.from([flags]),
      counted,
      newKey ?? Buffer.alloc(0),
    ]);
  }

  /** AAGUID, length of the id, the id, and the public key as COSE (EC2, ES256). */
  function attestedKey(): Buffer {
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    return Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, id.length]),
      id,
      Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
      cborBytes(Buffer.from(x, "base64url")),
      Buffer.from([0x22]),
      cborBytes(Buffer.from(y, "base64url")),
    ]);
  }

  const answer = (response: Record<string, unknown>) => ({
    id: text(id),
    rawId: text(id),
    type: "public-key",
    clientExtensionResults: {},
    response,
  });

  return {
    create(options: Record<string, unknown>, told: Deviation = {}) {
      // Copying the answer to another account does not change the device.
      userHandle ||= (options["user"] as { id: string }).id;
      const data = authenticatorData(told, attestedKey());
      const attestation = Buffer.concat([
        Buffer.from([0xa3]),
        cborText("fmt"),
        cborText("none"),
        cborText("attStmt"),
        Buffer.from([0xa0]),
        cborText("authData"),
        cborBytes(data),
      ]);
      return answer({
        clientDataJSON: text(clientData("webauthn.create", options, told)),
        attestationObject: text(attestation),
        transports: ["internal"],
      });
    },
    signIn(options: Record<string, unknown>, told: Deviation = {}) {
      const [client, data] = [clientData("webauthn.get", options, told), authenticatorData(told, undefined)];
      const signature = sign("sha256", Buffer.concat([data, sha256(client)]), privateKey);
      return answer({
        clientDataJSON: text(client),
        authenticatorData: text(data),
        signature: text(signature),
        userHandle: told.userHandle ?? userHandle,
      });
    },
  };
}

export type PasskeyDevice = ReturnType<typeof createPasskeyDevice>;

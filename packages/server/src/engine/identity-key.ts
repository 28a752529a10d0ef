import { generateKeyPairSync } from "node:crypto";

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** A key pair of Restate's request identity: the engine signs with one half, workers know it by the other. */
export function generateIdentityKey(): { privateKeyPem: string; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const { x = "" } = publicKey.export({ format: "jwk" });
  return {
    privateKeyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    publicKey: `publickeyv1_${base58(Buffer.from(x, "base64url"))}`,
  };
}

function base58(bytes: Buffer): string {
  let text = "";
  for (let rest = BigInt(`0x${bytes.toString("hex")}`); rest > 0n; rest /= 58n)
    text = `${ALPHABET[Number(rest % 58n)]}${text}`;
  // Each leading zero byte is a digit of its own.
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return "1".repeat(Math.max(0, zeros)) + text;
}

import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

export interface SealingKey {
  id: string;
  material: Buffer;
}

/** Seals secrets before they are stored. The context (agent, table, column) is bound in: a sealed value moved elsewhere does not open. */
export interface Sealer {
  seal(plain: string, context: string): Buffer;
  open(sealed: Buffer, context: string): string;
  isSealedByNewestKey(sealed: Buffer): boolean;
  hasKey(id: string): boolean;
}

const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Layout: version, length of the key's id, the key's id, iv, tag, ciphertext. The first key seals, all of them open. */
export function createSealer(keys: SealingKey[]): Sealer {
  const newest = keys[0];
  if (newest === undefined) throw new Error("SEALING_KEYS must contain at least one key");
  const byId = new Map(keys.map((key) => [key.id, key.material]));

  return {
    seal(plain, context) {
      const id = Buffer.from(newest.id, "utf8");
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", newest.material, iv);
      cipher.setAAD(Buffer.from(context, "utf8"));
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return Buffer.concat([Buffer.from([VERSION, id.length]), id, iv, cipher.getAuthTag(), body]);
    },
    open(sealed, context) {
      const { id, rest } = readKeyId(sealed);
      const material = byId.get(id);
      if (material === undefined)
        throw new Error(`SEALING_KEYS lacks the key "${id}" that encrypted a stored secret; add it back`);
      const decipher = createDecipheriv("aes-256-gcm", material, rest.subarray(0, IV_BYTES), {
        // Without it a tag cut down to four bytes would do, and those can be guessed.
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(context, "utf8"));
      decipher.setAuthTag(rest.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const body = rest.subarray(IV_BYTES + TAG_BYTES);
      return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
    },
    isSealedByNewestKey: (sealed) => readKeyId(sealed).id === newest.id,
    hasKey: (id) => byId.has(id),
  };
}

/** The name of the key that a value was sealed with. */
export function keyOfSeal(sealed: Buffer): string {
  return readKeyId(sealed).id;
}

function readKeyId(sealed: Buffer): { id: string; rest: Buffer } {
  if (sealed[0] !== VERSION) throw new Error("a stored secret has an unknown format");
  const end = 2 + (sealed[1] ?? 0);
  return { id: sealed.subarray(2, end).toString("utf8"), rest: sealed.subarray(end) };
}

import { z } from "zod";

const sealingKeys = z
  .string()
  .transform((value) => value.split(",").map((part) => part.trim()))
  .pipe(
    z
      .array(
        z
          .string()
          .regex(
            /^[A-Za-z0-9_-]{1,32}:[A-Za-z0-9+/]{43}=$/,
            "Each key must be NAME:BASE64, with 32 bytes in Base64",
          ),
      )
      .min(1),
  )
  .transform((keys) =>
    keys.map((key) => {
      const [id = "", material = ""] = key.split(":");
      return { id, material: Buffer.from(material, "base64") };
    }),
  )
  .refine((keys) => new Set(keys.map((key) => key.id)).size === keys.length, "Key names must be unique");

export const secretSettings = z.object({
  OPERATOR_TOKEN: z
    .string()
    .min(32)
    .max(200)
    .regex(/^[\x21-\x7e]*$/, "Must contain printable ASCII without spaces, because it is sent in a header")
    .optional()
    .describe(
      "Bootstrap token for creating the first named operator token. It stops working once a token with the scope `manage` exists; you can remove it then. `secrets` generates one",
    ),
  SEALING_KEYS: sealingKeys.describe(
    "Encryption keys for stored secrets, newest first: NAME:BASE64 of 32 bytes, comma separated. Keep an old key for two days after `reseal`: stored Idempotency-Key responses and speech links may still need it",
  ),
});

export function readSecrets(settings: z.infer<typeof secretSettings>) {
  return { operatorToken: settings.OPERATOR_TOKEN, sealingKeys: settings.SEALING_KEYS };
}

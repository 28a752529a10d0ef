import { z } from "zod";

const sealingKeys = z
  .string()
  .transform((value) => value.split(",").map((part) => part.trim()))
  .pipe(
    z
      .array(
        z.string().regex(/^[A-Za-z0-9_-]{1,32}:[A-Za-z0-9+/]{43}=$/, "each key is NAME:BASE64 of 32 bytes"),
      )
      .min(1),
  )
  .transform((keys) =>
    keys.map((key) => {
      const [id = "", material = ""] = key.split(":");
      return { id, material: Buffer.from(material, "base64") };
    }),
  )
  .refine((keys) => new Set(keys.map((key) => key.id)).size === keys.length, "key names must differ");

export const secretSettings = z.object({
  OPERATOR_TOKEN: z
    .string()
    .min(32)
    .max(200)
    .regex(/^[\x21-\x7e]*$/, "holds printable characters without blanks, because it travels in a header")
    .optional()
    .describe(
      "Creates the first named operator token, and opens nothing once one with the scope manage is in force; may then be left out. Make one with `secrets`",
    ),
  SEALING_KEYS: sealingKeys.describe(
    "Keys that seal stored secrets, newest first: NAME:BASE64 of 32 bytes, comma separated. After `reseal` keep the old one for two days: remembered answers to an Idempotency-Key and addresses of what was spoken were sealed with it",
  ),
});

export function readSecrets(settings: z.infer<typeof secretSettings>) {
  return { operatorToken: settings.OPERATOR_TOKEN, sealingKeys: settings.SEALING_KEYS };
}

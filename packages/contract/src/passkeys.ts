import { z } from "zod";
import { password } from "./account-fields.ts";
import { identifier, timestamp, words } from "./values.ts";

// Passkeys (WebAuthn): a key pair on a device, which the person unlocks. One is both steps of signing in.

const PASSKEYS_MAX = 20;

const passkeyName = words(100).describe("Which device it is on");
const options = {
  passkey_options: z
    .record(z.string(), z.unknown())
    .describe("For `navigator.credentials`, as JSON (WebAuthn Level 3); holds the challenge"),
  expire_time: timestamp.describe("Until then the challenge may be answered, once"),
};
const credential = z
  .record(z.string(), z.unknown())
  .describe("What the browser answered: `PublicKeyCredential.toJSON()`");

export const StartPasskeyRequest = z.strictObject({ password }).meta({ id: "StartPasskeyRequest" });

export const PasskeyOptions = z.object(options).meta({ id: "PasskeyOptions" });
export type PasskeyOptions = z.output<typeof PasskeyOptions>;

export const CreatePasskeyRequest = z
  .strictObject({ name: passkeyName, credential })
  .meta({ id: "CreatePasskeyRequest" });

export const PasskeyPath = z.strictObject({ passkey_id: identifier });
export const RenamePasskeyRequest = z
  .strictObject({ name: passkeyName })
  .meta({ id: "RenamePasskeyRequest" });

export const Passkey = z
  .object({
    passkey_id: identifier,
    name: z.string(),
    create_time: timestamp,
    last_used_time: timestamp.nullable().describe("When it last signed you in"),
  })
  .meta({ id: "Passkey" });
export type Passkey = z.output<typeof Passkey>;

export const PasskeyList = z.object({ list: z.array(Passkey).max(PASSKEYS_MAX) }).meta({ id: "PasskeyList" });
export type PasskeyList = z.output<typeof PasskeyList>;

export const FinishPasskeySignInRequest = z
  .strictObject({ credential })
  .meta({ id: "FinishPasskeySignInRequest" });

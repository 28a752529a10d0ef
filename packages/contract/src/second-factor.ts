import { z } from "zod";
import { password } from "./account-fields.ts";
import { Session } from "./accounts.ts";
import { timestamp, words } from "./values.ts";

// One-time codes by time (TOTP, RFC 6238): six digits every 30 seconds from an app, with recovery codes for its loss.

const RECOVERY_CODES = 10;

const oneTimeCode = words(64).describe("The six digits that the app shows now, or a recovery code");

export const SecondFactorNeeded = z
  .object({
    second_factor: z.literal("totp").describe("The password was right; a one-time code is needed too"),
    expire_time: timestamp.describe("Until then the code may be given, from this browser"),
  })
  .meta({ id: "SecondFactorNeeded" });
export type SecondFactorNeeded = z.output<typeof SecondFactorNeeded>;

export const SignInReply = z.union([Session, SecondFactorNeeded]).meta({ id: "SignInReply" });
export type SignInReply = z.output<typeof SignInReply>;

export const ConfirmSignInRequest = z
  .strictObject({ one_time_code: oneTimeCode })
  .meta({ id: "ConfirmSignInRequest" });

export const SecondFactor = z
  .object({
    enable_time: timestamp.nullable().describe("Since when it is on; null: it is off"),
    recovery_codes_left: z.int().min(0).max(RECOVERY_CODES),
  })
  .meta({ id: "SecondFactor" });
export type SecondFactor = z.output<typeof SecondFactor>;

export const StartTotpRequest = z.strictObject({ password }).meta({ id: "StartTotpRequest" });

export const TotpEnrolment = z
  .object({
    totp_secret: z.string().describe("In Base32, for an app that cannot scan. Shown once, stored encrypted"),
    otpauth_uri: z.string().describe("The same as a URI, for a QR code"),
  })
  .meta({ id: "TotpEnrolment" });
export type TotpEnrolment = z.output<typeof TotpEnrolment>;

export const ConfirmTotpRequest = z
  .strictObject({ one_time_code: words(64).describe("The six digits that the app shows now") })
  .meta({ id: "ConfirmTotpRequest" });

export const RecoveryCodes = z
  .object({
    recovery_codes: z
      .array(z.string())
      .describe("Each replaces a one-time code once. Shown once; only hashes are stored"),
  })
  .meta({ id: "RecoveryCodes" });
export type RecoveryCodes = z.output<typeof RecoveryCodes>;

export const DisableTotpRequest = z
  .strictObject({ password, one_time_code: oneTimeCode })
  .meta({ id: "DisableTotpRequest" });

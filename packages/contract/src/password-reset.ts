import { z } from "zod";
import { newPassword } from "./account-fields.ts";
import { identifier, timestamp } from "./values.ts";

// There is no email: an owner creates the link and hands it over.

const resetToken = z
  .string()
  .regex(/^sbr_[A-Za-z0-9]{40}$/, "must be the token of a password reset's link")
  .meta({ description: "The part of the link after #", examples: [`sbr_${"0".repeat(40)}`] });

export const CreatedPasswordReset = z
  .object({
    account_id: identifier,
    reset_token: z.string().describe("Shown once; only its hash is stored"),
    path: z.string().describe("Path of the link: append it to the service's address"),
    expire_time: timestamp,
  })
  .meta({ id: "CreatedPasswordReset" });
export type CreatedPasswordReset = z.output<typeof CreatedPasswordReset>;

export const PasswordResetToken = z.strictObject({ token: resetToken }).meta({ id: "PasswordResetToken" });

export const PasswordResetOffer = z
  .object({ email: z.string().describe("Whose password it sets"), expire_time: timestamp })
  .meta({ id: "PasswordResetOffer" });
export type PasswordResetOffer = z.output<typeof PasswordResetOffer>;

export const ResetPasswordRequest = z
  .strictObject({ token: resetToken, password: newPassword })
  .meta({ id: "ResetPasswordRequest" });

import { z } from "zod";
import { words } from "./values.ts";

const PASSWORD_MIN_CHARACTERS = 12;
const PASSWORD_MAX_CHARACTERS = 200;

export const email = z.email({ error: "must be an email address" }).max(254).toLowerCase();
export const password = words(PASSWORD_MAX_CHARACTERS);
/** Length is what counts (NIST SP 800-63B); no digits or capitals are demanded. */
export const newPassword = password
  .check(({ value, issues }) => {
    if (value.length >= PASSWORD_MIN_CHARACTERS) return;
    const message = `must have at least ${PASSWORD_MIN_CHARACTERS} characters`;
    issues.push({ code: "custom", input: value, message, continue: true });
  })
  .meta({ minLength: PASSWORD_MIN_CHARACTERS, maxLength: PASSWORD_MAX_CHARACTERS });

export const invitationToken = z
  .string()
  .regex(/^sbi_[A-Za-z0-9]{40}$/, "must be the token of an invitation's link")
  .meta({ description: "The part of the link after #", examples: [`sbi_${"0".repeat(40)}`] });

import { z } from "zod";

const printable = (what: string) =>
  z
    .string()
    .regex(
      /^[\x20-\x7e]*$/,
      `must hold printable ASCII characters only, because the ${what} travels in a header`,
    )
    .min(1)
    .max(256);

const webhookUsername = printable("username");
const webhookSecret = printable("secret");

export interface Credentials {
  username: string | null;
  secret: string | null;
}

export interface CredentialsProblem {
  field: "username" | "secret";
  problem: string;
}

/** 5: a username alone is sent as Bearer, with a secret the two are sent as Basic. */
export function credentialsProblem({ username, secret }: Credentials): CredentialsProblem | undefined {
  if (username === null) {
    return secret === null
      ? undefined
      : { field: "secret", problem: "requires a username; both are sent together as HTTP Basic" };
  }
  if (secret !== null && username.includes(":")) {
    return {
      field: "username",
      problem: "must not contain a colon when a secret is set; HTTP Basic does not allow it",
    };
  }
  if (secret === null && username.includes(" ")) {
    return {
      field: "username",
      problem: "must not contain spaces when no secret is set; it is sent as a Bearer token",
    };
  }
  return undefined;
}

type CredentialFields = { username?: string | null | undefined; secret?: string | null | undefined };
type CheckPayload = { value: CredentialFields; issues: z.core.$ZodRawIssue[] };

function pushProblem({ value, issues }: CheckPayload, credentials: Credentials): void {
  const found = credentialsProblem(credentials);
  if (found !== undefined)
    issues.push({ code: "custom", input: value, path: [found.field], message: found.problem });
}

/** Where a field left out means that there is none. */
export function checkNewCredentials(payload: CheckPayload): void {
  pushProblem(payload, { username: payload.value.username ?? null, secret: payload.value.secret ?? null });
}

/** Where a field left out keeps what is stored: only a whole pair can be judged without looking there. */
export function checkChangedCredentials(payload: CheckPayload): void {
  const { username, secret } = payload.value;
  if (username !== undefined && secret !== undefined) pushProblem(payload, { username, secret });
}

export const credentialFields = {
  username: webhookUsername
    .nullish()
    .describe(
      "Without a secret, it is sent as a Bearer token. Required again when url changes to another server",
    ),
  secret: webhookSecret
    .nullish()
    .describe(
      "With a secret, username and secret are sent as HTTP Basic. Required again when url changes to another server",
    ),
};

export const signingSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/)
  .describe("Signs every call (Standard Webhooks). Shown only when it is created");

export const publicKey = z
  .string()
  .regex(/^whpk_[A-Za-z0-9+/]{43}=$/)
  .describe("Verifies the v1a signatures (Ed25519, Standard Webhooks); null without asymmetric_signature");

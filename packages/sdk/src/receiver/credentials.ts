import { bytesOf, isSameText, toBase64 } from "./bytes.ts";

export interface WebhookCredentials {
  username?: string | undefined;
  secret?: string | undefined;
}

/** A username alone is sent as Bearer, with a secret the two are sent as Basic. */
export function authorizationOf({ username, secret }: WebhookCredentials): string | undefined {
  if (!username) return undefined;
  return secret ? `Basic ${toBase64(bytesOf(`${username}:${secret}`))}` : `Bearer ${username}`;
}

/** Without credentials of its own a receiver takes any. */
export async function areCredentialsRight(
  expected: string | undefined,
  given: string | undefined,
): Promise<boolean> {
  return expected === undefined || isSameText(expected, given ?? "");
}

import { refuse, type Refusal } from "./refusal.ts";

/** Where a secret is sent, and the stored values by the names that callers give them. */
export interface SecretsAtUrl {
  url: string;
  secrets: Record<string, Buffer | null>;
}

/**
 * Somebody who may change a URL may not read its secrets. A field left out keeps what is stored, but only on the same
 * origin: else the next call would hand the secret to a server that its owner never chose.
 */
export function refuseNewOrigin(
  stored: SecretsAtUrl | undefined,
  { url, ...given }: { url: string } & Record<string, unknown>,
): Refusal | undefined {
  if (stored === undefined || originOf(stored.url) === originOf(url)) return undefined;
  const left = Object.keys(stored.secrets).filter(
    (field) => stored.secrets[field] !== null && given[field] === undefined,
  );
  if (left.length === 0) return undefined;
  return refuse(
    "badParameter",
    `changing url to another server requires ${left.join(" and ")} again; send the value, or null for none`,
  );
}

/** A URL that cannot be read may be stored from before, and is then replaced by one that can. */
function originOf(url: string): string {
  return URL.parse(url)?.origin ?? url;
}

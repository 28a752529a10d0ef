import type { Identity } from "./authenticate.ts";

/**
 * The one who calls, as a name that no other caller of the same agent has. A user keeps it over all tokens minted for them.
 * A desk without a key is known once the handoff its request names is found.
 */
export function principalOf(identity: Identity): string {
  switch (identity.kind) {
    case "agent":
      return `api_key ${identity.apiKeyId}`;
    case "user":
      return identity.userId === null ? `visitor ${identity.anonymousId}` : `user ${identity.userId}`;
    case "operator":
      return `operator ${identity.actorId}`;
    case "keyless":
    case "browser":
    case "anyone":
      return identity.kind;
  }
}

import type { LimitName } from "../platform/index.ts";
import type { Identity } from "./authenticate.ts";
import { principalOf } from "./principal.ts";

/** Whose calls are counted together, and by which limit. */
export interface CountedAs {
  name: LimitName;
  key: string;
}

/** Undefined: limited by address alone. */
export function countedAs(identity: Identity): CountedAs | undefined {
  switch (identity.kind) {
    case "agent":
      return { name: "api_key", key: identity.apiKeyId };
    case "keyless":
      return { name: "desk_address", key: identity.address };
    case "user":
      return {
        name: "visitor",
        // Who signed in is one user, whatever his browser is called.
        key: `${identity.agentId} ${identity.userId ?? `anonymous ${identity.anonymousId}`}`,
      };
    case "browser":
      return identity.client === undefined ? undefined : { name: "sign_in", key: identity.client };
    case "operator":
      return {
        name: identity.actor === "account" ? "account" : "operator_token",
        key: principalOf(identity),
      };
    case "anyone":
      return undefined;
  }
}

import { isInScope, type Route, type Scope } from "@signalbox/contract";
import { refuse, type Refusal } from "../platform/index.ts";
import type { Identity } from "./authenticate.ts";

/** Whether who calls may use this route at all; what of it is theirs, the handler decides. */
export function refuseScope(route: Route, identity: Identity): Refusal | undefined {
  switch (identity.kind) {
    case "agent":
      return checkScopes("API key", route.scopes ?? [], identity.scopes);
    case "operator":
      return checkScopes("operator token", route.scopes ?? [], identity.scopes);
    case "user":
    case "keyless":
    case "anyone":
      return undefined;
  }
}

export function checkScopes(
  credential: "API key" | "operator token",
  wanted: readonly Scope[],
  held: readonly Scope[],
): Refusal | undefined {
  if (isInScope(wanted, held)) return undefined;
  return refuse(
    "missingScope",
    `this ${credential} has the scopes ${held.join(", ")}, but this call needs ${wanted.join(" or ")}; use or create one with that scope`,
  );
}

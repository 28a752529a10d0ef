import { isInScope, type Route, type Scope } from "@signalbox/contract";
import { refuse, type Refusal } from "../platform/index.ts";
import type { Identity } from "./authenticate.ts";

/** Whether who calls may use this route at all; what of it is theirs, the handler decides. */
export function refuseScope(route: Route, identity: Identity): Refusal | undefined {
  switch (identity.kind) {
    case "agent":
      return checkScopes("API key", route.scopes ?? [], identity.scopes);
    case "operator":
      return checkScopes(
        identity.actor === "account" ? "account" : "operator token",
        route.scopes ?? [],
        identity.scopes,
      );
    case "user":
    case "keyless":
    case "browser":
    case "anyone":
      return undefined;
  }
}

export function checkScopes(
  credential: "API key" | "operator token" | "account",
  wanted: readonly Scope[],
  held: readonly Scope[],
): Refusal | undefined {
  if (isInScope(wanted, held)) return undefined;
  if (credential === "account")
    return refuse(
      "missingScope",
      `none of your roles allows this: it needs ${wanted.join(" or ")}; ask an owner of the installation`,
    );
  return refuse(
    "missingScope",
    `this ${credential} has the scopes ${held.join(", ")}, but this call needs ${wanted.join(" or ")}; use or create one with that scope`,
  );
}

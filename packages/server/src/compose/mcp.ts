import { checkScopes, refusalFor, type FindOwner, type RouteHandlers } from "../http/index.ts";
import { createMcp, type AnswerMcp } from "../mcp/index.ts";
import type { Foundation } from "./foundation.ts";

export function composeMcp(
  { console, log }: Foundation,
  handlers: RouteHandlers,
  findOwner: FindOwner,
): AnswerMcp {
  return createMcp({
    handlers,
    findOwner,
    onBehalfOf: (holder, work) => console.onBehalfOf(holder, work),
    refusalFor,
    refuseScopes: (wanted, held) => checkScopes("API key", wanted, held),
    log,
  });
}

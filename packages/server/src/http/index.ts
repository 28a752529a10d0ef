export { stopListening } from "./graceful-shutdown.ts";
export { readDatabaseFacts } from "./database-facts.ts";
export { createHealth, type Health } from "./health.ts";
export type { BesideRoute, RouteHandlers } from "./mount.ts";
export type { FindOwner } from "./reach.ts";
export { findConsole } from "./serve-console.ts";
export { findWidget } from "./serve-widget.ts";
export type { ReceiveInboxCall } from "./serve-inbox.ts";
export { createHttp } from "./server.ts";
export {
  deviceCookie,
  NO_SESSION_COOKIES,
  NO_SIGN_IN_COOKIES,
  sessionCookie,
  signInCookie,
} from "./session-cookie.ts";
export { statusRoutes } from "./status-routes.ts";
export { readWorkFacts } from "./work-facts.ts";
export { watchHealth } from "./watch-health.ts";
export { createSilentProxies, type SilentProxies } from "./silent-proxies.ts";
export { refusalFor } from "./failure-reply.ts";
export { checkScopes } from "./scopes.ts";

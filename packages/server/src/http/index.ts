export { stopListening } from "./graceful-shutdown.ts";
export { createHealth, type DatabaseFacts, type Health } from "./health.ts";
export type { RouteHandlers } from "./mount.ts";
export { createHttp } from "./server.ts";
export { watchHealth } from "./watch-health.ts";

export { stopListening } from "./graceful-shutdown.ts";
export { createHealth, type Health } from "./health.ts";
export type { RouteHandlers } from "./mount.ts";
export { createHttp } from "./server.ts";

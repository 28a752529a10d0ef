import { SERVICE_IS_NORMAL } from "@signalbox/contract";
import { refuse } from "../platform/index.ts";
import type { Health } from "./health.ts";
import type { RouteHandlers } from "./mount.ts";

/** Section 4.4, and what is wrong in detail. */
export function statusRoutes(health: Health) {
  return {
    serviceHealth: async () =>
      (await health.isNormal())
        ? SERVICE_IS_NORMAL
        : refuse("notAccepting", "the service is degraded right now; signalbox doctor says why"),
    getServiceStatus: async () => {
      const status = await health.examine();
      return { is_normal: status.every(({ state }) => state === "normal"), parts: status };
    },
  } satisfies Partial<RouteHandlers>;
}

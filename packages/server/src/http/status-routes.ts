import { SERVICE_IS_NORMAL, type FailingModel } from "@signalbox/contract";
import { refuse } from "../platform/index.ts";
import { ANSWER_WITHIN_MS, within, type Health } from "./health.ts";
import type { RouteHandlers } from "./mount.ts";
import type { SilentProxies } from "./silent-proxies.ts";

/** Section 4.4, and what is wrong in detail. */
export function statusRoutes(
  health: Health,
  proxies: SilentProxies,
  listFailingModels: () => Promise<FailingModel[]>,
) {
  return {
    serviceHealth: async () =>
      (await health.isNormal())
        ? SERVICE_IS_NORMAL
        : refuse("notAccepting", "the service is degraded right now; signalbox doctor says why"),
    getServiceStatus: async () => {
      const status = await health.examine();
      // Without a database there is nothing to say of models, and much of the database.
      const isReadable = status.some(({ part, state }) => part === "database" && state === "normal");
      const models = isReadable ? await within(ANSWER_WITHIN_MS, listFailingModels()).catch(() => []) : [];
      return {
        is_normal: status.every(({ state }) => state === "normal"),
        parts: status,
        warnings: proxies.warnings(),
        models,
      };
    },
  } satisfies Partial<RouteHandlers>;
}

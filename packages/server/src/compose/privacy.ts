import type { EngineObject, Sweep } from "../engine/index.ts";
import type { RouteHandlers } from "../http/index.ts";
import { revokeChatTokens } from "../live/index.ts";
import * as privacy from "../privacy/index.ts";
import type { RouteParts, WorkerParts } from "./parts.ts";

export function privacyRoutes({ operator, restate, config }: RouteParts) {
  const retaining = { operator, engine: restate, retention: config.privacy.retention };
  const erasing: privacy.EraseUserParts = {
    operator,
    engine: restate,
    revokeChatTokens: (db, agentId, { user_id, anonymous_id }) =>
      revokeChatTokens(db, "service", agentId, { user_id, anonymous_id, all_users: false }),
  };
  return {
    exportUser: (from, input) => privacy.exportUser(operator, from, input),
    eraseUser: (from, input) => privacy.eraseUser(erasing, from, input),
    getErasure: (_, input) => privacy.getErasure(operator, input),
    listErasures: (_, input) => privacy.listErasures(operator, input),
    setRetention: (from, input) => privacy.setRetention(retaining, from, input),
    getRetention: (_, input) => privacy.getRetention(retaining, input),
  } satisfies Partial<RouteHandlers>;
}

export function privacyObjects({ shared, config }: WorkerParts): EngineObject[] {
  const { retention, agentGraceDays: graceDays } = config.privacy;
  return [privacy.erasureObject({ ...shared, graceDays }), privacy.retentionObject({ ...shared, retention })];
}

export function privacySweeps({ sweeping, config }: WorkerParts): Sweep[] {
  const { retention, agentGraceDays: graceDays } = config.privacy;
  return [
    privacy.erasureSweep(sweeping),
    privacy.agentsPastGraceSweep({ ...sweeping, graceDays }),
    privacy.retentionSweep({ ...sweeping, retention }),
    privacy.orphanedLanesSweep({ ...sweeping, retentionDays: config.delivery.retentionDays }),
  ];
}

import { SERVICE_IS_NORMAL } from "@signalbox/contract";
import * as agents from "../agents/index.ts";
import * as delivery from "../delivery/index.ts";
import type * as engine from "../engine/index.ts";
import * as handoff from "../handoff/index.ts";
import type { RouteHandlers } from "../http/index.ts";
import * as platform from "../platform/index.ts";
import { agentRoutes } from "./agents.ts";
import { conversationRoutes } from "./conversations.ts";
import { deliveryRoutes } from "./delivery.ts";
import type { Foundation } from "./foundation.ts";
import { handoffRoutes } from "./handoff.ts";
import { knowledgeRoutes, type Retrieval } from "./knowledge.ts";
import { liveRoutes } from "./live.ts";
import { privacyRoutes } from "./privacy.ts";
import { webhookRoutes } from "./webhooks.ts";

/** What every room of an api node is handed. */
export interface RouteParts extends Foundation {
  retrieval: Retrieval;
  /** For what callers do, each within its agent. */
  caller: { agents: platform.AgentDatabase; sealer: platform.Sealer; engine: engine.Engine };
  /** For what operators do. */
  operator: agents.OperatorParts;
  /** The same for rooms that do not know the agents' room. */
  operating: { db: platform.Database; engine: engine.Engine; operator: delivery.OperatorWriting };
  /** What waits for an address that is another now, or gone, does not wait any longer. */
  thenRecheck: <Result>(agentId: string, change: Promise<Result>) => Promise<Result>;
  /** The same, and nobody is left with a desk that is gone. */
  thenEndHandoffs: <Result>(agentId: string, change: Promise<Result>) => Promise<Result>;
}

/** One function a route; each room's stand in the file of its name. */
export function composeHandlers(foundation: Foundation, retrieval: Retrieval): RouteHandlers {
  const { work, agents: agentDatabase, sealer, restate, health } = foundation;
  const operator = { db: work, sealer };
  const operating: RouteParts["operating"] = {
    db: work,
    engine: restate,
    operator: {
      write: (from, change) => agents.writeAsOperator(operator, from, change),
      audit: platform.audit,
    },
  };
  const parts: RouteParts = {
    ...foundation,
    retrieval,
    caller: { agents: agentDatabase, sealer, engine: restate },
    operator,
    operating,
    async thenRecheck(agentId, change) {
      const result = await change;
      if (!(result instanceof platform.Refusal)) await delivery.recheckDestinations(operating, agentId);
      return result;
    },
    async thenEndHandoffs(agentId, change) {
      const result = await parts.thenRecheck(agentId, change);
      if (!(result instanceof platform.Refusal)) await handoff.closeAbandonedHandoffs(operating, agentId);
      return result;
    },
  };
  return {
    serviceHealth: async () =>
      (await health.isNormal())
        ? SERVICE_IS_NORMAL
        : platform.refuse("notAccepting", "the service is degraded right now; signalbox doctor says why"),
    getServiceStatus: async () => {
      const status = await health.examine();
      return { is_normal: status.every(({ state }) => state === "normal"), parts: status };
    },
    ...agentRoutes(parts),
    ...webhookRoutes(parts),
    ...knowledgeRoutes(parts),
    ...conversationRoutes(parts),
    ...liveRoutes(parts),
    ...handoffRoutes(parts),
    ...deliveryRoutes(parts),
    ...privacyRoutes(parts),
  };
}

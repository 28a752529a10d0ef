import * as agents from "../agents/index.ts";
import * as delivery from "../delivery/index.ts";
import * as handoff from "../handoff/index.ts";
import { statusRoutes, type BesideRoute, type RouteHandlers, type SilentProxies } from "../http/index.ts";
import * as platform from "../platform/index.ts";
import { accountRoutes } from "./accounts.ts";
import { agentRoutes } from "./agents.ts";
import { conversationRoutes } from "./conversations.ts";
import { deliveryRoutes } from "./delivery.ts";
import type { Foundation } from "./foundation.ts";
import { handoffRoutes } from "./handoff.ts";
import { inboxRoutes } from "./inbox.ts";
import { knowledgeRoutes } from "./knowledge.ts";
import { liveRoutes } from "./live.ts";
import { numbersRoutes } from "./numbers.ts";
import type { Retrieval, RouteParts } from "./parts.ts";
import { privacyRoutes } from "./privacy.ts";
import { webhookRoutes } from "./webhooks.ts";

/** One function a route; each room's stand in the file of its name. */
export function composeHandlers(
  foundation: Foundation,
  retrieval: Retrieval,
  proxies: SilentProxies,
): { handlers: RouteHandlers; beside: BesideRoute[] } {
  const { work, console, agents: agentDatabase, sealer, restate, broadcast, health } = foundation;
  const operator = { db: console.db, sealer };
  const operating: RouteParts["operating"] = {
    db: console.db,
    engine: restate,
    broadcast,
    operator: {
      write: (from, change) => agents.writeAsOperator(operator, from, change),
      requireLiveAgent: agents.requireLiveAgent,
      audit: platform.audit,
      recordRead: platform.recordRead,
    },
  };
  const parts: RouteParts = {
    ...foundation,
    retrieval,
    caller: { agents: agentDatabase, sealer, engine: restate, broadcast },
    operator,
    operating,
    onChanged: (agentId) => delivery.recheckDestinations(operating, agentId),
    onDeleted: async (agentId) => {
      await delivery.recheckDestinations(operating, agentId);
      await handoff.closeAbandonedHandoffs(operating, agentId);
    },
  };
  const conversation = conversationRoutes(parts);
  const live = liveRoutes(parts, conversation.streamAnswer);
  const handlers = {
    ...statusRoutes(health, proxies, () => agents.listFailingModels(console.db)),
    // A sign-in does not queue behind the calls of people who are signed in.
    ...accountRoutes({ ...parts, operator: { db: work, sealer } }),
    ...agentRoutes(parts),
    ...webhookRoutes(parts),
    ...knowledgeRoutes(parts),
    ...conversation.handlers,
    ...live.handlers,
    ...handoffRoutes(parts),
    ...inboxRoutes(parts),
    ...deliveryRoutes(parts),
    ...numbersRoutes(parts),
    ...privacyRoutes(parts),
  };
  return { handlers, beside: live.beside };
}

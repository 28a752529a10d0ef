import * as agents from "../agents/index.ts";
import * as conversations from "../conversations/index.ts";
import type { RouteHandlers } from "../http/index.ts";
import * as live from "../live/index.ts";
import * as platform from "../platform/index.ts";
import type { RouteParts } from "./handlers.ts";

export function liveRoutes(parts: RouteParts) {
  const { caller, config, operator, sealer, work, log, metrics, lifecycle, broadcast, dailyUse } = parts;
  const limits = live.createVisitorLimits({ ...config.limits.visitors, use: dailyUse });
  const acceptTogether = conversations.createMessageAcceptor({ ...caller, log });
  const hub = live.createLiveHub(work, log);
  metrics.liveStreams(() => hub.count());
  broadcast.hear((keys) => hub.changed(keys));
  lifecycle.stopping.addEventListener("abort", () => hub.close());
  return {
    mintChatToken: (from, input) => live.mintChatToken(caller, from, input),
    revokeChatTokens: (from, input) =>
      caller.agents.asAgent(from.agentId, (db) =>
        platform.once(db, sealer, from, (db) => live.revokeChatTokens(db, from, from.agentId, input)),
      ),
    revokeAgentChatTokens: (from, { agent_id, ...whose }) =>
      agents.writeAsOperator(operator, from, async (db) => {
        const missing = await agents.requireLiveAgent(db, agent_id);
        if (missing !== undefined) return missing;
        return live.revokeChatTokens(db, from, agent_id, whose);
      }),
    beginChat: (from) => live.beginChat(caller, from),
    sayInChat: (from, input) => live.sayInChat({ ...caller, acceptTogether, limits }, from, input),
    askForPerson: (from, input) => live.askForPerson(caller, from, input),
    leavePerson: (from, input) => live.leavePerson(caller, from, input),
    followChat: (from, input) => live.followChat({ ...caller, hub, limits }, from, input),
  } satisfies Partial<RouteHandlers>;
}

import type { InputOf } from "@signalbox/contract";
import * as conversations from "../conversations/index.ts";
import type { RouteHandlers } from "../http/index.ts";
import { markSeenByUser } from "../inbox/index.ts";
import * as live from "../live/index.ts";
import * as platform from "../platform/index.ts";
import type { RouteParts } from "./parts.ts";

export function liveRoutes(parts: RouteParts) {
  const { caller, config, operating, work, log, metrics, lifecycle, broadcast, dailyUse } = parts;
  const limits = live.createVisitorLimits({ ...config.limits.visitors, use: dailyUse });
  const acceptTogether = conversations.createMessageAcceptor({ ...caller, log });
  const hub = live.createLiveHub(work, log);
  metrics.liveStreams(() => hub.count());
  broadcast.hear((words) => {
    hub.changed(words);
    hub.typing(platform.readTyping(words));
  });
  lifecycle.stopping.addEventListener("abort", () => hub.close());
  const seen = {
    agents: caller.agents,
    markSeen: (from: platform.ChatCaller, input: InputOf<"markChatSeen">) =>
      markSeenByUser({ db: work, sealer: caller.sealer, broadcast }, from, input),
  };
  return {
    mintChatToken: (from, input) => live.mintChatToken(caller, from, input),
    revokeChatTokens: (from, input) => live.revokeOwnChatTokens(caller, from, input),
    revokeAgentChatTokens: (from, input) => live.revokeAgentChatTokens(operating, from, input),
    beginChat: (from) => live.beginChat(caller, from),
    listChats: (from) => live.listChats(caller, from),
    sayInChat: (from, input) => live.sayInChat({ ...caller, acceptTogether, limits }, from, input),
    typeInChat: (from, input) => live.typeInChat(caller, from, input),
    markChatSeen: (from, input) => live.markChatSeen(seen, from, input),
    askForPerson: (from, input) => live.askForPerson(caller, from, input),
    leavePerson: (from, input) => live.leavePerson(caller, from, input),
    rateChat: (from, input) => live.rateChat(caller, from, input),
    followChat: (from, input) => live.followChat({ ...caller, hub, limits }, from, input),
  } satisfies Partial<RouteHandlers>;
}

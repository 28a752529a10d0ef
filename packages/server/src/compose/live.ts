import { UI_MESSAGE_ROUTES, type InputOf } from "@signalbox/contract";
import type { z } from "zod";
import * as conversations from "../conversations/index.ts";
import type { BesideRoute, RouteHandlers } from "../http/index.ts";
import { markSeenByUser } from "../inbox/index.ts";
import * as live from "../live/index.ts";
import * as platform from "../platform/index.ts";
import type { RouteParts } from "./parts.ts";

export function liveRoutes(parts: RouteParts, streamAnswer: live.StreamAnswer) {
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
  const saying = { ...caller, acceptTogether, limits, streamAnswer };
  const following = { ...caller, hub, limits };
  const handlers = {
    mintChatToken: (from, input) => live.mintChatToken(caller, from, input),
    revokeChatTokens: (from, input) => live.revokeOwnChatTokens(caller, from, input),
    revokeAgentChatTokens: (from, input) => live.revokeAgentChatTokens(operating, from, input),
    beginChat: (from) => live.beginChat(caller, from),
    listChats: (from) => live.listChats(caller, from),
    sayInChat: (from, input) => live.sayInChat(saying, from, input),
    typeInChat: (from, input) => live.typeInChat(caller, from, input),
    markChatSeen: (from, input) => live.markChatSeen(seen, from, input),
    askForPerson: (from, input) => live.askForPerson(caller, from, input),
    leavePerson: (from, input) => live.leavePerson(caller, from, input),
    rateChat: (from, input) => live.rateChat(caller, from, input),
    followChat: (from, input) => live.followChat(following, from, input),
  } satisfies Partial<RouteHandlers>;
  const { send, resume } = UI_MESSAGE_ROUTES;
  // Safe because a chat token authenticated the caller, and the route's own schema read the input.
  const beside: BesideRoute[] = [
    {
      route: send,
      handle: (from, input) =>
        live.sendUiMessage(saying, from as platform.ChatCaller, input as z.output<typeof send.body>),
    },
    {
      route: resume,
      handle: (from, input) =>
        live.resumeUiMessages(
          following,
          from as platform.ChatCaller,
          input as z.output<typeof resume.params>,
        ),
    },
  ];
  return { handlers, beside };
}

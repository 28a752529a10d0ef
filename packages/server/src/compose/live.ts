import * as conversations from "../conversations/index.ts";
import type { RouteHandlers } from "../http/index.ts";
import * as live from "../live/index.ts";
import type { RouteParts } from "./handlers.ts";

export function liveRoutes({ caller, work, log, metrics, lifecycle, broadcast }: RouteParts) {
  const acceptTogether = conversations.createMessageAcceptor({ ...caller, log });
  const hub = live.createLiveHub(work, log);
  metrics.liveStreams(() => hub.count());
  broadcast.hear((keys) => hub.changed(keys));
  lifecycle.stopping.addEventListener("abort", () => hub.close());
  return {
    mintChatToken: (from, input) => live.mintChatToken(caller, from, input),
    beginChat: (from) => live.beginChat(caller, from),
    sayInChat: (from, input) => live.sayInChat({ ...caller, acceptTogether }, from, input),
    askForPerson: (from, input) => live.askForPerson(caller, from, input),
    leavePerson: (from, input) => live.leavePerson(caller, from, input),
    followChat: (from, input) => live.followChat({ ...caller, hub }, from, input),
  } satisfies Partial<RouteHandlers>;
}

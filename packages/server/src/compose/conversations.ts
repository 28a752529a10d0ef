import * as answering from "../answering/index.ts";
import * as conversations from "../conversations/index.ts";
import type { EngineObject, Sweep } from "../engine/index.ts";
import type { RouteHandlers } from "../http/index.ts";
import type { StreamAnswer } from "../live/index.ts";
import { createTalkWatch, readAnnounced } from "../inbox/index.ts";
import { readTyping } from "../platform/index.ts";
import type { RouteParts, WorkerParts } from "./parts.ts";

export function conversationRoutes({
  caller,
  operating,
  config,
  work,
  console,
  sealer,
  restate,
  broadcast,
  retrieval,
  log,
  metrics,
  lifecycle,
}: RouteParts) {
  const hub = conversations.createChangeHub(work, log, { watchTalks: () => createTalkWatch(work) });
  const control = conversations.createControlWatch(work, log);
  broadcast.hear((words) => {
    control.changed(words);
    hub.talksChanged(readAnnounced(words));
    hub.typing(readTyping(words));
  });
  lifecycle.stopping.addEventListener("abort", () => hub.close());
  const shares = conversations.createStreamShares(config.limits.operatorStreams);
  const acceptTogether = conversations.createMessageAcceptor({ ...caller, log });
  const turns = {
    db: work,
    sealer,
    engine: restate,
    broadcast,
    openAnswering: answering.createAnswering(retrieval),
    commit: conversations.commitTogether(work, log),
    turnEnds: conversations.createTurnEnds(),
    control,
    log,
    metrics,
  };
  const sending = { ...caller, acceptTogether, turns };
  const handlers = {
    createConversation: (from, input) => conversations.createConversation(caller, from, input),
    sendMessage: (from, input) => conversations.sendMessage(sending, from, input),
    setUserId: (from, input) => conversations.setUserId(caller, from, input),
    listMessages: (from, input) => conversations.listMessages(caller, from, input),
    getMessageSources: (from, input) => conversations.getMessageSources(caller, from, input),
    searchConversations: (from, input) => conversations.searchConversations(operating, from, input),
    followChanges: (from, input) => conversations.followChanges({ db: console.db, hub, shares }, from, input),
    getConversation: (from, input) => conversations.getConversation(operating, from, input),
  } satisfies Partial<RouteHandlers>;
  const streamAnswer: StreamAnswer = (from, input, payer) =>
    conversations.sendMessage(sending, from, input, payer);
  return { handlers, streamAnswer };
}

export function conversationObjects(
  { shared, retrieval }: WorkerParts,
  { drain }: Pick<conversations.TurnParts, "drain">,
): EngineObject[] {
  const openAnswering = answering.createAnswering(retrieval);
  return [conversations.turnObject({ ...shared, openAnswering, drain })];
}

export function conversationSweeps({ sweeping }: WorkerParts): Sweep[] {
  return [...conversations.turnSweeps(sweeping), conversations.searchIndexSweep(sweeping)];
}

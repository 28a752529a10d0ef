import { readAnswerers } from "../accounts/index.ts";
import { nearestPairs } from "../answering/index.ts";
import type { Sweep } from "../engine/index.ts";
import type { ReceiveInboxCall, RouteHandlers } from "../http/index.ts";
import * as inbox from "../inbox/index.ts";
import * as webhooks from "../webhooks/index.ts";
import { inTransaction, type Database } from "../platform/index.ts";
import type { Foundation } from "./foundation.ts";
import type { RouteParts, WorkerParts } from "./parts.ts";

type Act<Result> = (db: Database) => Promise<Result>;

export function inboxRoutes(parts: RouteParts) {
  const { config, caller, work, broadcast, operator, retrieval, onChanged, onDeleted } = parts;
  const talks = { ...operator, broadcast, readAnswerers };
  // Not as the agent, who may not look into the inbox: who holds a chat is decided in the transaction that says the words.
  const agents = { asAgent: <Result>(_: string, act: Act<Result>) => inTransaction(work, act) };
  const answering = { ...talks, desk: { ...caller, agents, db: work } };
  const service = {
    ...operator,
    httpsOnly: config.outbound.webhooks.httpsOnly,
    inboxUrl: config.http.inboxUrl,
    onChanged,
    onDeleted: async (agentId: string) => {
      await onDeleted(agentId);
      await inbox.closeEndedTalks(talks, agentId);
    },
  };
  const suggesting = {
    db: operator.db,
    nearestPairs: (agentId: string, question: string) => nearestPairs(retrieval, agentId, question),
  };
  return {
    setInbox: (from, input) => webhooks.setInbox(service, from, input),
    getInbox: (_, input) => webhooks.getInbox(operator, input),
    deleteInbox: (from, input) => webhooks.deleteInbox(service, from, input),

    searchTalks: (from, input) => inbox.searchTalks(operator, from, input),
    getTalk: (from, input) => inbox.getTalk(operator, from, input),
    takeTalk: (from, input) => inbox.takeTalk(talks, from, input),
    transferTalk: (from, input) => inbox.transferTalk(talks, from, input),
    replyInTalk: (from, input) => inbox.replyInTalk(answering, from, input),
    typeInTalk: (from, input) => inbox.typeInTalk(answering, from, input),
    closeTalk: (from, input) => inbox.closeTalk(answering, from, input),
    addTalkNote: (from, input) => inbox.addTalkNote(talks, from, input),
    markTalkSeen: (from, input) => inbox.markTalkSeen(talks, from, input),
    suggestAnswers: (_, input) => inbox.suggestAnswers(suggesting, input),

    fillCannedReply: (from, input) => inbox.fillCannedReply(operator, from, input),
    listCannedReplies: (_, input) => inbox.listCannedReplies(operator, input),
    createCannedReply: (from, input) => inbox.createCannedReply(operator, from, input),
    updateCannedReply: (from, input) => inbox.updateCannedReply(operator, from, input),
    deleteCannedReply: (from, input) => inbox.deleteCannedReply(operator, from, input),

    setPresence: (from, input) => inbox.setPresence(talks, from, input),
    listInboxMembers: (from, input) => inbox.listInboxMembers(talks, from, input),

    listInboxTeams: (_, input) => inbox.listInboxTeams(talks, input),
    createInboxTeam: (from, input) => inbox.createInboxTeam(talks, from, input),
    updateInboxTeam: (from, input) => inbox.updateInboxTeam(talks, from, input),
    deleteInboxTeam: (from, input) => inbox.deleteInboxTeam(talks, from, input),
  } satisfies Partial<RouteHandlers>;
}

/** The receiver of 4.6 to 4.8 that a developer would host. */
export function inboxReceiver({ work, sealer, broadcast }: Foundation): ReceiveInboxCall {
  const parts = { db: work, sealer, broadcast, readAnswerers, now: () => new Date() };
  return (call) => inbox.receiveInboxCall(parts, call);
}

export function inboxSweeps({ sweeping }: WorkerParts): Sweep[] {
  return inbox.inboxSweeps({ ...sweeping, readAnswerers });
}

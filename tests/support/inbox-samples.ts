import { randomUUID } from "node:crypto";
import type { RequestOf, RouteName } from "@signalbox/contract";
import { operatorOf, type MadeAgent } from "./agents.ts";
import type { Bed } from "./bed.ts";
import { eventually } from "./processes.ts";
import type { SampleIds } from "./sample-ids.ts";

const ofTalk = ({ agentId, talkId }: SampleIds) => ({ agent_id: agentId, talk_id: talkId });

/** One request of each route of the inbox. */
export const inboxSamples = {
  setInbox: ({ agentId }) => ({ agent_id: agentId, name: "Sample" }),
  getInbox: ({ agentId }) => ({ agent_id: agentId }),
  deleteInbox: ({ agentId }) => ({ agent_id: agentId }),
  searchTalks: ({ agentId }) => ({ agent_id: agentId, view: "waiting" }),
  getTalk: ofTalk,
  takeTalk: ofTalk,
  transferTalk: (ids) => ({ ...ofTalk(ids), account_id: null }),
  replyInTalk: (ids) => ({ ...ofTalk(ids), text: "Sample" }),
  typeInTalk: ofTalk,
  closeTalk: ofTalk,
  addTalkNote: (ids) => ({ ...ofTalk(ids), text: "Sample" }),
  markTalkSeen: (ids) => ({ ...ofTalk(ids), sequence: 3 }),
  suggestAnswers: ofTalk,
  fillCannedReply: (ids) => ({ ...ofTalk(ids), reply_id: ids.replyId }),
  listCannedReplies: ({ agentId }) => ({ agent_id: agentId }),
  createCannedReply: ({ agentId }) => ({ agent_id: agentId, title: "Sample", text: "Hello" }),
  updateCannedReply: ({ agentId, replyId }) => ({
    agent_id: agentId,
    reply_id: replyId,
    title: "Sample",
    text: "Hello",
  }),
  deleteCannedReply: ({ agentId, replyId }) => ({ agent_id: agentId, reply_id: replyId }),
  setPresence: ({ agentId }) => ({ agent_id: agentId, presence: "available" }),
  listInboxMembers: ({ agentId }) => ({ agent_id: agentId }),
  listInboxTeams: ({ agentId }) => ({ agent_id: agentId }),
  createInboxTeam: ({ agentId }) => ({ agent_id: agentId, name: `Sample ${randomUUID()}` }),
  updateInboxTeam: ({ agentId, teamId }) => ({ agent_id: agentId, team_id: teamId, name: "Sample" }),
  deleteInboxTeam: ({ agentId, teamId }) => ({ agent_id: agentId, team_id: teamId }),
} satisfies { [Name in RouteName]?: (ids: SampleIds) => RequestOf<Name> };

/** A chat that waits in the agent's inbox, a canned reply and a team; needs a worker. Later handoffs come to the inbox too. */
export async function openSampleTalk(
  bed: Bed,
  agent: MadeAgent,
): Promise<{ talkId: string; replyId: string; teamId: string }> {
  const operator = operatorOf(bed);
  const of = { agent_id: agent.agentId };
  const { component_id } = await operator.inbox.set({ ...of, name: "Sample" });
  await operator.desks.update({ ...of, component_id: component_id ?? "", rule: { priority: 0 } });
  const { handoff } = await agent.client.handoffs.request({ conversation_id: await agent.converse() });
  const talkId = handoff?.handoff_id ?? "";
  await eventually("the chat waits in the inbox", async () => {
    const { list } = await operator.talks.search({ ...of, view: "waiting" });
    return list.some(({ talk_id }) => talk_id === talkId);
  });
  const { reply_id } = await operator.cannedReplies.create({ ...of, title: "Sample", text: "Hello" });
  const { team_id } = await operator.inboxTeams.create({ ...of, name: "Sample" });
  return { talkId, replyId: reply_id, teamId: team_id };
}

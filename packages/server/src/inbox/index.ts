export { readAnnounced } from "./announce-talk.ts";
export { closeTalk, replyInTalk, typeInTalk } from "./answer-talk.ts";
export {
  createCannedReply,
  deleteCannedReply,
  fillCannedReply,
  listCannedReplies,
  updateCannedReply,
} from "./canned-replies.ts";
export { createTalkWatch } from "./changed-talks.ts";
export { closeEndedTalks, inboxSweeps } from "./inbox-sweeps.ts";
export { addTalkNote } from "./notes.ts";
export { listInboxMembers, setPresence } from "./presence.ts";
export { getTalk } from "./read-talk.ts";
export { receiveInboxCall } from "./receive-call.ts";
export { searchTalks } from "./search-talks.ts";
export { markSeenByUser, markTalkSeen } from "./seen-marks.ts";
export { suggestAnswers } from "./suggest-answers.ts";
export { takeTalk, transferTalk } from "./take-talk.ts";
export { createInboxTeam, deleteInboxTeam, listInboxTeams, updateInboxTeam } from "./teams.ts";

export { beginChat } from "./begin-chat.ts";
export { createChatTokens, mintChatToken } from "./chat-tokens.ts";
export { followChat } from "./follow-chat.ts";
export { listChats } from "./list-chats.ts";
export { createLiveHub } from "./live-hub.ts";
export { markChatSeen } from "./mark-chat-seen.ts";
export { askForPerson, leavePerson } from "./person-in-chat.ts";
export { rateChat } from "./rate-chat.ts";
export {
  revocationSweep,
  revokeAgentChatTokens,
  revokeChatTokens,
  revokeOwnChatTokens,
} from "./revoke-chat-tokens.ts";
export { sayInChat } from "./say-in-chat.ts";
export { resumeUiMessages, sendUiMessage, type StreamAnswer } from "./ui-messages.ts";
export { typeInChat } from "./type-in-chat.ts";
export { createVisitorLimits } from "./visitor-limits.ts";

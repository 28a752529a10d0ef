export { beginChat } from "./begin-chat.ts";
export { mintChatToken, openChatToken } from "./chat-tokens.ts";
export { followChat } from "./follow-chat.ts";
export { createLiveHub } from "./live-hub.ts";
export { askForPerson, leavePerson } from "./person-in-chat.ts";
export { sayInChat } from "./say-in-chat.ts";

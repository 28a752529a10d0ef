export { createConversation } from "./create-conversation.ts";
export { turnObject } from "./run-turns.ts";
export { sendMessage } from "./send-message.ts";
export { turnSweeps } from "./turn-sweeps.ts";

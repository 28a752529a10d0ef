export { createConversation } from "./create-conversation.ts";
export { turnObject } from "./run-turns.ts";
export { createMessageAcceptor, sendMessage } from "./send-message.ts";
export { turnSweeps } from "./turn-sweeps.ts";

export { createConversation } from "./create-conversation.ts";
export { turnObject } from "./run-turns.ts";
export { listMessages } from "./list-messages.ts";
export { acceptMessage, createMessageAcceptor, type AcceptTogether } from "./message-acceptor.ts";
export { sendMessage } from "./send-message.ts";
export { setUserId } from "./set-user-id.ts";
export { boundUser } from "./user-bindings.ts";
export { commitTogether } from "./turns-together.ts";
export { turnSweeps } from "./turn-sweeps.ts";

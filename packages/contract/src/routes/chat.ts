import { z } from "zod";
import { AgentPath } from "../agents.ts";
import * as chat from "../chat.ts";
import { RateChatRequest } from "../ratings.ts";
import { Acknowledged } from "../values.ts";
import { AGENT, SETTINGS, type Route } from "./route.ts";

const chats = "/chat/v1/conversations";
const oneChat = `${chats}/:conversation_id` as const;
const CHAT_FAILURES = ["unknownConversation", "foreignConversation"] as const;

/** The live channel: what a browser calls with a chat token. */
export const chatRoutes = {
  mintChatToken: {
    method: "POST",
    path: "/chat/v1/tokens",
    auth: "apiKey",
    scopes: ["chat:mint"],
    spec: "ours",
    summary: "Create a chat token for one user's browser",
    body: chat.MintChatTokenRequest,
    reply: chat.ChatToken,
  },
  revokeChatTokens: {
    method: "POST",
    path: "/chat/v1/tokens/revoke",
    auth: "apiKey",
    scopes: ["chat:mint"],
    spec: "ours",
    summary: "Revoke the chat tokens of a user or of all users",
    body: chat.RevokeChatTokensRequest,
    reply: Acknowledged,
  },
  revokeAgentChatTokens: {
    method: "POST",
    path: `${AGENT}/chat-tokens/revoke`,
    auth: "operator",
    scopes: SETTINGS,
    spec: "ours",
    summary: "Revoke an agent's chat tokens for a user or for all users",
    params: AgentPath,
    body: chat.RevokeChatTokensRequest,
    reply: Acknowledged,
  },
  beginChat: {
    method: "POST",
    path: chats,
    auth: "chatToken",
    spec: "ours",
    summary: "Start a conversation on the live channel",
    reply: chat.ChatBegun,
  },
  listChats: {
    method: "GET",
    path: chats,
    auth: "chatToken",
    spec: "ours",
    summary: "List the user's own conversations on the live channel",
    reply: chat.ChatList,
  },
  sayInChat: {
    method: "POST",
    path: `${oneChat}/messages`,
    auth: "chatToken",
    spec: "ours",
    summary: "Send a user's message; replies arrive on the stream",
    params: chat.ChatPath,
    body: chat.SayInChatRequest,
    reply: chat.SaidInChat,
    failures: CHAT_FAILURES,
  },
  typeInChat: {
    method: "POST",
    path: `${oneChat}/typing`,
    auth: "chatToken",
    spec: "ours",
    summary: "Show the human that the user types, for six seconds. Call it at most every three seconds",
    params: chat.ChatPath,
    reply: Acknowledged,
    failures: CHAT_FAILURES,
    safe: true,
  },
  askForPerson: {
    method: "POST",
    path: `${oneChat}/person`,
    auth: "chatToken",
    spec: "ours",
    summary: "Request a handoff as the user",
    params: chat.ChatPath,
    reply: chat.AskedForPerson,
    failures: CHAT_FAILURES,
  },
  leavePerson: {
    method: "POST",
    path: `${oneChat}/close`,
    auth: "chatToken",
    spec: "ours",
    summary: "End a handoff for the user, so that the agent answers again",
    params: chat.ChatPath,
    reply: Acknowledged,
    failures: CHAT_FAILURES,
  },
  rateChat: {
    method: "POST",
    path: `${oneChat}/rating`,
    auth: "chatToken",
    spec: "ours",
    summary: "Rate an answer of the agent, or the conversation, as the user",
    params: chat.ChatPath,
    body: RateChatRequest,
    reply: Acknowledged,
    failures: [...CHAT_FAILURES, "notFound"],
  },
  followChat: {
    method: "GET",
    path: `${oneChat}/events`,
    auth: "chatToken",
    spec: "ours",
    summary: "Stream the messages after Last-Event-ID, and new ones as they come",
    params: chat.ChatPath,
    reply: z.never(),
    events: chat.ChatEventData,
    failures: CHAT_FAILURES,
  },
} as const satisfies Record<string, Route>;

import { z } from "zod";
import { AgentPath } from "../agents.ts";
import * as chat from "../chat.ts";
import { Acknowledged } from "../values.ts";
import { AGENT, MANAGE, type Route } from "./route.ts";

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
    summary: "Let one user's browser into the live channel for a while",
    body: chat.MintChatTokenRequest,
    reply: chat.ChatToken,
  },
  revokeChatTokens: {
    method: "POST",
    path: "/chat/v1/tokens/revoke",
    auth: "apiKey",
    scopes: ["chat:mint"],
    spec: "ours",
    summary: "Refuse the chat tokens issued so far for a user or for all users",
    body: chat.RevokeChatTokensRequest,
    reply: Acknowledged,
  },
  revokeAgentChatTokens: {
    method: "POST",
    path: `${AGENT}/chat-tokens/revoke`,
    auth: "operator",
    scopes: MANAGE,
    spec: "ours",
    summary: "Refuse an agent's chat tokens issued so far for a user or for all users",
    params: AgentPath,
    body: chat.RevokeChatTokensRequest,
    reply: Acknowledged,
  },
  beginChat: {
    method: "POST",
    path: chats,
    auth: "chatToken",
    spec: "ours",
    summary: "Begin a conversation on the live channel",
    reply: chat.ChatBegun,
  },
  sayInChat: {
    method: "POST",
    path: `${oneChat}/messages`,
    auth: "chatToken",
    spec: "ours",
    summary: "The user says something; what is answered comes by the stream",
    params: chat.ChatPath,
    body: chat.SayInChatRequest,
    reply: chat.SaidInChat,
    failures: CHAT_FAILURES,
  },
  askForPerson: {
    method: "POST",
    path: `${oneChat}/person`,
    auth: "chatToken",
    spec: "ours",
    summary: "The user asks for a person",
    params: chat.ChatPath,
    reply: chat.AskedForPerson,
    failures: CHAT_FAILURES,
  },
  leavePerson: {
    method: "POST",
    path: `${oneChat}/close`,
    auth: "chatToken",
    spec: "ours",
    summary: "The user leaves the person; the agent speaks again",
    params: chat.ChatPath,
    reply: Acknowledged,
    failures: CHAT_FAILURES,
  },
  followChat: {
    method: "GET",
    path: `${oneChat}/events`,
    auth: "chatToken",
    spec: "ours",
    summary: "What was said after Last-Event-ID, and what is being said",
    params: chat.ChatPath,
    reply: z.never(),
    events: chat.ChatEventData,
    failures: CHAT_FAILURES,
  },
} as const satisfies Record<string, Route>;

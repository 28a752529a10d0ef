import {
  CreateConversationReply,
  CreateConversationRequest,
  MessagePage,
  MessageQuery,
  MessageStreamEvent,
  SendMessageReply,
  SendMessageRequest,
} from "../conversations.ts";
import { SetUserIdRequest } from "../users.ts";
import { Acknowledged } from "../values.ts";
import type { Route } from "./route.ts";

/** Conversations of users, as the developer holds them. */
export const conversationRoutes = {
  createConversation: {
    method: "POST",
    path: "/v1/conversation",
    auth: "apiKey",
    scopes: ["messages"],
    spec: "neighbour",
    summary: "Begin a conversation of a user",
    body: CreateConversationRequest,
    reply: CreateConversationReply,
  },
  sendMessage: {
    method: "POST",
    path: "/v2/conversation/message",
    auth: "apiKey",
    scopes: ["messages"],
    spec: "neighbour",
    summary: "Send a user's message",
    body: SendMessageRequest,
    reply: SendMessageReply,
    events: MessageStreamEvent,
    failures: ["unknownConversation"],
  },
  listMessages: {
    method: "GET",
    path: "/v2/messages",
    auth: "apiKey",
    scopes: ["messages", "read"],
    spec: "neighbour",
    summary: "What was said in a conversation",
    query: MessageQuery,
    reply: MessagePage,
    failures: ["unknownConversation"],
  },
  setUserId: {
    method: "POST",
    path: "/v1/user/set-userid",
    auth: "apiKey",
    scopes: ["messages"],
    spec: "neighbour",
    summary: "Say which user anonymous ids stand for",
    body: SetUserIdRequest,
    reply: Acknowledged,
  },
} as const satisfies Record<string, Route>;

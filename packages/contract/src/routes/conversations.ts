import { MessageSources, MessageSourcesPath } from "../answer-sources.ts";
import * as log from "../conversation-log.ts";
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
import { AGENT, CONVERSATIONS, type Route } from "./route.ts";

/** Conversations of users, as the developer holds them. */
export const conversationRoutes = {
  createConversation: {
    method: "POST",
    path: "/v1/conversation",
    auth: "apiKey",
    scopes: ["messages"],
    sdk: "conversations.create",
    summary: "Start a conversation for a user",
    body: CreateConversationRequest,
    reply: CreateConversationReply,
  },
  sendMessage: {
    method: "POST",
    path: "/v2/conversation/message",
    auth: "apiKey",
    scopes: ["messages"],
    sdk: "conversations.sendMessage",
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
    sdk: "conversations.listMessages",
    summary: "List the messages of a conversation",
    query: MessageQuery,
    reply: MessagePage,
    failures: ["unknownConversation"],
  },
  getMessageSources: {
    method: "GET",
    path: "/v2/messages/:message_id/sources",
    auth: "apiKey",
    scopes: ["messages", "read"],
    sdk: "conversations.sources",
    summary: "Read the pairs that an answer stands on",
    params: MessageSourcesPath,
    reply: MessageSources,
    failures: ["notFound"],
  },
  setUserId: {
    method: "POST",
    path: "/v1/user/set-userid",
    auth: "apiKey",
    scopes: ["messages"],
    sdk: "users.bind",
    summary: "Bind anonymous ids to a user",
    body: SetUserIdRequest,
    reply: Acknowledged,
  },
  searchConversations: {
    method: "POST",
    path: "/admin/v1/conversations/search",
    auth: "operator",
    scopes: CONVERSATIONS,
    sdk: "conversations.search",
    summary: "List conversations, newest first, by agent, user, channel, outcome, time and text",
    body: log.SearchConversationsRequest,
    reply: log.ConversationPage,
    safe: true,
  },
  getConversation: {
    method: "GET",
    path: `${AGENT}/conversations/:conversation_id`,
    auth: "operator",
    scopes: CONVERSATIONS,
    sdk: "conversations.get",
    summary: "Read a conversation as a timeline: messages, handoffs, and deliveries with their state",
    params: log.ConversationPath,
    query: log.TimelineQuery,
    reply: log.ConversationTimeline,
  },
} as const satisfies Record<string, Route>;

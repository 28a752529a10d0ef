import type { RequestOf, RouteName, Routes } from "@signalbox/contract";
import type { Client } from "@signalbox/sdk";

export type ApiKeyRoute = {
  [Name in RouteName]: Routes[Name]["auth"] extends "apiKey" ? Name : never;
}[RouteName];

export interface Tenant {
  name: string;
  agentId: string;
  baseId: string;
  apiKey: string;
  client: Client;
  conversationId: string;
  messageId: string;
  documentId: string;
}

export const QUESTION = "What is the secret word?";

/** A good request for each route that takes an API key; a route without one does not compile. */
export const GOOD: { [Name in ApiKeyRoute]: (tenant: Tenant) => RequestOf<Name> } = {
  addQa: ({ baseId, name }) => ({
    purpose: "QA_TEXT",
    knowledge_base_id: baseId,
    name: `added by ${name}`,
    qaList: [{ question: "Anything else?", answer: "Nothing." }],
  }),
  updateQa: ({ documentId, baseId }) => ({
    doc_id: documentId,
    knowledge_base_id: baseId,
    qaList: [{ question: "Anything new?", answer: "Nothing." }],
  }),
  uploadFile: ({ baseId, name }) => ({
    file: new File(["question,answer\nAnything from disk?,Nothing.\n"], `${name}.csv`),
    knowledge_base_id: baseId,
  }),
  createKnowledgeBase: ({ name }) => ({ name: `made by ${name}` }),
  listKnowledgeBases: () => ({}),
  listDocuments: ({ baseId }) => ({ knowledge_base_id: baseId }),
  getDocumentDetails: ({ documentId }) => ({ data_ids: [documentId] }),
  deleteDocuments: () => ({ doc: crypto.randomUUID() }),
  addQaChunks: ({ documentId }) => ({
    doc_id: documentId,
    chunks: [{ question: "Anything more?", answer: "Nothing." }],
  }),
  listQaChunks: ({ documentId }) => ({ doc_id: documentId }),
  matchKnowledge: ({ baseId, documentId }) => ({
    prompt: QUESTION,
    group_ids: [baseId],
    data_ids: [documentId],
  }),
  createConversation: ({ name }) => ({ user_id: `user-of-${name}`, anonymous_id: `device-of-${name}` }),
  sendMessage: ({ conversationId }) => ({
    conversation_id: conversationId,
    response_mode: "webhook",
    messages: [{ role: "user", content: QUESTION }],
  }),
  listMessages: ({ conversationId }) => ({ conversation_id: conversationId }),
  getMessageSources: ({ messageId }) => ({ message_id: messageId }),
  setUserId: ({ name }) => ({
    user_id: `user-of-${name}`,
    anonymous_ids: [{ anonymous_id: `device-of-${name}`, conversation_type: "API" }],
  }),
  mintChatToken: ({ name }) => ({ user_id: `user-of-${name}` }),
  revokeChatTokens: ({ name }) => ({ user_id: `user-of-${name}` }),
  requestHandoff: ({ conversationId }) => ({ conversation_id: conversationId }),
  leaveHandoff: ({ conversationId }) => ({ conversation_id: conversationId }),
  getHandoff: ({ conversationId }) => ({ conversation_id: conversationId }),
  verifyApiKey: () => ({}),
  checkWebhooks: () => ({}),
};

import { routes } from "@signalbox/contract";
import type { RequestOf, Route, RouteName } from "@signalbox/contract";
import type { MadeAgent } from "./agents.ts";
import { JSON_TYPE } from "./wire.ts";
import type { WireRequest } from "./wire.ts";

/** What exists already and may be named in a request. */
export type SampleIds = {
  agentId: string;
  conversationId: string;
  keyId: string;
  componentId: string;
  knowledgeBaseId: string;
  documentId: string;
  webhookUrl: string;
};

const PAIR = { question: "When do you open?", answer: "At nine." };

/** One request of each route that is taken; a route without one does not compile. */
const inputs: { [Name in RouteName]: (ids: SampleIds) => RequestOf<Name> } = {
  addQa: () => ({
    purpose: "QA_TEXT",
    name: "Sample",
    qaList: [PAIR],
  }),
  updateQa: ({ documentId }) => ({ doc_id: documentId, qaList: [PAIR] }),
  createKnowledgeBase: () => ({ name: "Sample" }),
  listKnowledgeBases: () => ({}),
  listDocuments: ({ knowledgeBaseId }) => ({ knowledge_base_id: knowledgeBaseId }),
  getDocumentDetails: ({ documentId }) => ({ data_ids: documentId }),
  deleteDocuments: ({ documentId }) => ({ doc: documentId }),
  addQaChunks: ({ documentId }) => ({ doc_id: documentId, chunks: [PAIR] }),
  matchKnowledge: () => ({ prompt: PAIR.question }),
  serviceHealth: () => ({}),
  createConversation: () => ({ user_id: "user-1" }),
  sendMessage: ({ conversationId }) => ({
    conversation_id: conversationId,
    response_mode: "webhook",
    messages: [{ role: "user", content: "When do you open?" }],
  }),
  verifyApiKey: () => ({}),

  createAgent: () => ({ name: "Sample" }),
  listAgents: () => ({}),
  getAgent: ({ agentId }) => ({ agent_id: agentId }),
  updateAgent: ({ agentId }) => ({ agent_id: agentId, name: "Sample" }),
  deleteAgent: ({ agentId }) => ({ agent_id: agentId }),

  createApiKey: ({ agentId }) => ({ agent_id: agentId, name: "Sample" }),
  listApiKeys: ({ agentId }) => ({ agent_id: agentId }),
  revokeApiKey: ({ agentId, keyId }) => ({ agent_id: agentId, key_id: keyId }),

  setMessageWebhook: ({ agentId, webhookUrl }) => ({ agent_id: agentId, url: webhookUrl }),
  getMessageWebhook: ({ agentId }) => ({ agent_id: agentId }),
  deleteMessageWebhook: ({ agentId }) => ({ agent_id: agentId }),
  rotateMessageWebhookSecret: ({ agentId }) => ({ agent_id: agentId, overlap_seconds: 60 }),

  createHumanService: ({ agentId, webhookUrl }) => ({ agent_id: agentId, name: "Desk", url: webhookUrl }),
  listHumanServices: ({ agentId }) => ({ agent_id: agentId }),
  updateHumanService: ({ agentId, componentId }) => ({
    agent_id: agentId,
    component_id: componentId,
    name: "Desk",
  }),
  deleteHumanService: ({ agentId, componentId }) => ({ agent_id: agentId, component_id: componentId }),

  setChatModel: ({ agentId, webhookUrl }) => ({ agent_id: agentId, url: webhookUrl, model: "sample" }),
  getChatModel: ({ agentId }) => ({ agent_id: agentId }),
  deleteChatModel: ({ agentId }) => ({ agent_id: agentId }),
  setEmbeddingModel: ({ agentId, webhookUrl }) => ({ agent_id: agentId, url: webhookUrl, model: "sample" }),
  getEmbeddingModel: ({ agentId }) => ({ agent_id: agentId }),
  deleteEmbeddingModel: ({ agentId }) => ({ agent_id: agentId }),
  listUnansweredQuestions: ({ agentId }) => ({ agent_id: agentId }),

  listAudit: () => ({}),
};

/** The route's sample as it goes over the wire, without credentials. */
export function sampleRequest(name: RouteName, ids: SampleIds): WireRequest & { method: string } {
  const route: Route = routes[name];
  const rest: Record<string, unknown> = { ...inputs[name](ids) };
  const path = route.path.replaceAll(/:(\w+)/g, (_, parameter: string) => {
    const value = String(rest[parameter]);
    delete rest[parameter];
    return value;
  });
  if (route.body === undefined) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(rest)) query.append(name, String(value));
    return { method: route.method, path: query.size === 0 ? path : `${path}?${query.toString()}` };
  }
  return { method: route.method, path, headers: JSON_TYPE, body: JSON.stringify(rest) };
}

/** Ids of nothing that exists, for requests that must be refused before anybody looks. */
export const UNKNOWN_IDS: SampleIds = {
  agentId: "0199f3a2-6c1e-7b44-9d0a-000000000001",
  conversationId: "0199f3a2-6c1e-7b44-9d0a-000000000002",
  keyId: "0199f3a2-6c1e-7b44-9d0a-000000000003",
  componentId: "0199f3a2-6c1e-7b44-9d0a-000000000004",
  knowledgeBaseId: "0199f3a2-6c1e-7b44-9d0a-000000000005",
  documentId: "0199f3a2-6c1e-7b44-9d0a-000000000006",
  webhookUrl: "http://127.0.0.1:9/",
};

/** Ids of a made agent, with a conversation and a component of its own. */
export async function sampleIdsOf(agent: MadeAgent): Promise<SampleIds> {
  const { doc } = await agent.client.addQa({ purpose: "QA_TEXT", name: "Sample", qaList: [PAIR] });
  return {
    agentId: agent.agentId,
    conversationId: await agent.converse(),
    keyId: agent.keyId,
    componentId: await agent.component(),
    knowledgeBaseId: agent.knowledgeBaseId,
    documentId: doc[0]?.doc_id ?? "",
    webhookUrl: agent.webhookUrl,
  };
}

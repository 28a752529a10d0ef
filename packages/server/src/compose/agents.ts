import * as agents from "../agents/index.ts";
import type { RouteHandlers } from "../http/index.ts";
import { addDefaultBase } from "../knowledge/index.ts";
import type { RouteParts } from "./parts.ts";

export function agentRoutes({ operator, onDeleted, outbound, modelQuota }: RouteParts) {
  const testing = { ...operator, outbound: outbound.models, modelQuota };
  return {
    verifyApiKey: async ({ agentId }) => ({ entity_type: "agent", entity_id: agentId }),

    createAgent: (from, input) => agents.createAgent({ ...operator, addDefaultBase }, from, input),
    listAgents: (from, input) => agents.listAgents(operator, from, input),
    getAgent: (_, input) => agents.getAgent(operator, input),
    updateAgent: (from, input) => agents.updateAgent(operator, from, input),
    deleteAgent: (from, input) => agents.deleteAgent({ ...operator, onDeleted }, from, input),
    createOperatorToken: (from, input) => agents.createOperatorToken(operator, from, input),
    listOperatorTokens: (_, input) => agents.listOperatorTokens(operator, input),
    rotateOperatorToken: (from, input) => agents.rotateOperatorToken(operator, from, input),
    revokeOperatorToken: (from, input) => agents.revokeOperatorToken(operator, from, input),
    createApiKey: (from, input) => agents.createApiKey(operator, from, input),
    listApiKeys: (_, input) => agents.listApiKeys(operator, input),
    revokeApiKey: (from, input) => agents.revokeApiKey(operator, from, input),

    setChatModel: (from, input) => agents.setModel(operator, from, "chat", input),
    getChatModel: (_, input) => agents.getModel(operator, "chat", input),
    deleteChatModel: (from, input) => agents.deleteModel(operator, from, "chat", input),
    setChatFallbackModel: (from, input) => agents.setModel(operator, from, "chat_fallback", input),
    getChatFallbackModel: (_, input) => agents.getModel(operator, "chat_fallback", input),
    deleteChatFallbackModel: (from, input) => agents.deleteModel(operator, from, "chat_fallback", input),
    testChatFallbackModel: (_, input) => agents.testModel(testing, "chat_fallback", input),
    getEmbeddingModel: (_, input) => agents.getModel(operator, "embedding", input),
    deleteEmbeddingModel: (from, input) => agents.deleteModel(operator, from, "embedding", input),
    testChatModel: (_, input) => agents.testModel(testing, "chat", input),
    testEmbeddingModel: (_, input) => agents.testModel(testing, "embedding", input),

    setSpeechModel: (from, input) => agents.setSpeechModel(operator, from, input),
    getSpeechModel: (_, input) => agents.getSpeechModel(operator, input),
    testSpeechModel: (_, input) => agents.testModel(testing, "speech", input),
    deleteSpeechModel: (from, input) => agents.deleteModel(operator, from, "speech", input),

    listAudit: (_, input) => agents.listAudit(operator, input),
  } satisfies Partial<RouteHandlers>;
}

export {
  createAgent,
  deleteAgent,
  getAgent,
  listAgents,
  lockOperators,
  holdsFailingImports,
  readAgentSettings,
  requireAgent,
  requireLiveAgent,
  storeSettings,
  updateAgent,
  type AgentSettings,
} from "./agents.ts";
export { createApiKey, listApiKeys, revokeApiKey } from "./api-keys.ts";
export { auditRead, listAudit } from "./audit.ts";
export { createKeyDirectory } from "./key-directory.ts";
export { listFailingModels, watchModels } from "./model-failures.ts";
export {
  deleteModel,
  getModel,
  getSpeechModel,
  openModels,
  readModelRows,
  readModels,
  resealModels,
  sampleModelSeals,
  setModel,
  setSpeechModel,
  type ConfiguredModels,
} from "./models.ts";
export { createOperatorDirectory } from "./operator-directory.ts";
export {
  createOperatorToken,
  listOperatorTokens,
  revokeOperatorToken,
  rotateOperatorToken,
} from "./operator-tokens.ts";
export { writeAsOperator, type OperatorParts } from "./operator-write.ts";
export { testModel } from "./test-model.ts";
export { pageOfRows, pageStart } from "./paging.ts";

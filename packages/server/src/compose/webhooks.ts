import type { RouteHandlers } from "../http/index.ts";
import { OPERATOR_SCOPE } from "../platform/index.ts";
import * as webhooks from "../webhooks/index.ts";
import type { RouteParts } from "./handlers.ts";

export function webhookRoutes(parts: RouteParts) {
  const { work, agents, sealer, outbound, log, operator, thenRecheck, thenEndHandoffs } = parts;
  return {
    checkWebhooks: (from) => webhooks.checkWebhooks({ db: work, agents, sealer, outbound, log }, from),
    diagnoseWebhooks: (from, input) =>
      webhooks.diagnoseWebhooks({ db: work, sealer, outbound, log }, from, input),

    setMessageWebhook: (from, input) =>
      thenRecheck(input.agent_id, webhooks.setMessageWebhook(operator, from, input)),
    getMessageWebhook: (_, input) => webhooks.getMessageWebhook(operator, input),
    deleteMessageWebhook: (from, input) =>
      thenEndHandoffs(input.agent_id, webhooks.deleteMessageWebhook(operator, from, input)),
    rotateMessageWebhookSecret: (from, input) => webhooks.rotateMessageWebhookSecret(operator, from, input),

    createHumanService: (from, input) => webhooks.createHumanService(operator, from, input),
    listHumanServices: (_, input) => webhooks.listHumanServices(operator, input),
    updateHumanService: (from, input) =>
      thenRecheck(input.agent_id, webhooks.updateHumanService(operator, from, input)),
    deleteHumanService: (from, input) =>
      thenEndHandoffs(input.agent_id, webhooks.deleteHumanService(operator, from, input)),

    setOperatorWebhook: (from, input) =>
      thenRecheck(OPERATOR_SCOPE, webhooks.setOperatorWebhook(operator, from, input)),
    getOperatorWebhook: () => webhooks.getOperatorWebhook(operator),
    deleteOperatorWebhook: (from) =>
      thenRecheck(OPERATOR_SCOPE, webhooks.deleteOperatorWebhook(operator, from)),
    rotateOperatorWebhookSecret: (from, input) => webhooks.rotateOperatorWebhookSecret(operator, from, input),
  } satisfies Partial<RouteHandlers>;
}

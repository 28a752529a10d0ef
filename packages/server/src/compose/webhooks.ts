import type { RouteHandlers } from "../http/index.ts";
import * as webhooks from "../webhooks/index.ts";
import type { RouteParts } from "./parts.ts";

export function webhookRoutes(parts: RouteParts) {
  const { config, work, agents, sealer, outbound, log, operator, onChanged, onDeleted } = parts;
  const endpoints = { ...operator, httpsOnly: config.outbound.webhooks.httpsOnly, onChanged, onDeleted };
  const probing = { db: work, sealer, outbound: outbound.webhooks, log };
  return {
    checkWebhooks: (from) => webhooks.checkWebhooks({ ...probing, agents }, from),
    diagnoseWebhooks: (from, input) => webhooks.diagnoseWebhooks(probing, from, input),
    listWebhookChecks: (_, input) => webhooks.listWebhookChecks(operator, input),
    sendTestEvent: (from, input) => webhooks.sendTestEvent(probing, from, input),

    setMessageWebhook: (from, input) => webhooks.setMessageWebhook(endpoints, from, input),
    getMessageWebhook: (_, input) => webhooks.getMessageWebhook(operator, input),
    deleteMessageWebhook: (from, input) => webhooks.deleteMessageWebhook(endpoints, from, input),
    rotateMessageWebhookSecret: (from, input) => webhooks.rotateMessageWebhookSecret(operator, from, input),

    createHumanService: (from, input) => webhooks.createHumanService(endpoints, from, input),
    listHumanServices: (_, input) => webhooks.listHumanServices(operator, input),
    updateHumanService: (from, input) => webhooks.updateHumanService(endpoints, from, input),
    rotateHumanServiceSecret: (from, input) => webhooks.rotateHumanServiceSecret(operator, from, input),
    deleteHumanService: (from, input) => webhooks.deleteHumanService(endpoints, from, input),

    setOperatorWebhook: (from, input) => webhooks.setOperatorWebhook(endpoints, from, input),
    getOperatorWebhook: () => webhooks.getOperatorWebhook(operator),
    deleteOperatorWebhook: (from) => webhooks.deleteOperatorWebhook(endpoints, from),
    rotateOperatorWebhookSecret: (from, input) => webhooks.rotateOperatorWebhookSecret(operator, from, input),
  } satisfies Partial<RouteHandlers>;
}

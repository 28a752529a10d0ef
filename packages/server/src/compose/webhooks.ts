import type { RouteHandlers } from "../http/index.ts";
import { OPERATOR_SCOPE } from "../platform/index.ts";
import * as webhooks from "../webhooks/index.ts";
import type { RouteParts } from "./handlers.ts";

export function webhookRoutes(parts: RouteParts) {
  const { config, work, agents, sealer, outbound, log, operator, thenRecheck, thenEndHandoffs } = parts;
  const { httpsOnly } = config.outbound.webhooks;
  const judged = async <Result>(url: string | undefined, store: () => Promise<Result>) =>
    webhooks.refusePlainHttp(url, httpsOnly) ?? (await store());
  const probing = { db: work, sealer, outbound: outbound.webhooks, log };
  return {
    checkWebhooks: (from) => webhooks.checkWebhooks({ ...probing, agents }, from),
    diagnoseWebhooks: (from, input) => webhooks.diagnoseWebhooks(probing, from, input),

    setMessageWebhook: (from, input) =>
      thenRecheck(
        input.agent_id,
        judged(input.url, () => webhooks.setMessageWebhook(operator, from, input)),
      ),
    getMessageWebhook: (_, input) => webhooks.getMessageWebhook(operator, input),
    deleteMessageWebhook: (from, input) =>
      thenEndHandoffs(input.agent_id, webhooks.deleteMessageWebhook(operator, from, input)),
    rotateMessageWebhookSecret: (from, input) => webhooks.rotateMessageWebhookSecret(operator, from, input),

    createHumanService: (from, input) =>
      judged(input.url, () => webhooks.createHumanService(operator, from, input)),
    listHumanServices: (_, input) => webhooks.listHumanServices(operator, input),
    updateHumanService: (from, input) =>
      thenRecheck(
        input.agent_id,
        judged(input.url, () => webhooks.updateHumanService(operator, from, input)),
      ),
    rotateHumanServiceSecret: (from, input) => webhooks.rotateHumanServiceSecret(operator, from, input),
    deleteHumanService: (from, input) =>
      thenEndHandoffs(input.agent_id, webhooks.deleteHumanService(operator, from, input)),

    setOperatorWebhook: (from, input) =>
      thenRecheck(
        OPERATOR_SCOPE,
        judged(input.url, () => webhooks.setOperatorWebhook(operator, from, input)),
      ),
    getOperatorWebhook: () => webhooks.getOperatorWebhook(operator),
    deleteOperatorWebhook: (from) =>
      thenRecheck(OPERATOR_SCOPE, webhooks.deleteOperatorWebhook(operator, from)),
    rotateOperatorWebhookSecret: (from, input) => webhooks.rotateOperatorWebhookSecret(operator, from, input),
  } satisfies Partial<RouteHandlers>;
}

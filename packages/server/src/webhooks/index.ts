export {
  callDeveloper,
  redactedHeaders,
  type CallParts,
  type Proof,
  type RequestFacts,
} from "./call-developer.ts";
export { listWebhookChecks } from "./check-history.ts";
export { checkWebhooks } from "./check-webhooks.ts";
export { diagnoseWebhooks } from "./diagnose-webhooks.ts";
export {
  createDestinationOpener,
  type Destination,
  type DestinationRow,
  type OpenDestination,
} from "./destination.ts";
export {
  createHumanService,
  deleteHumanService,
  listHumanServices,
  rotateHumanServiceSecret,
  updateHumanService,
} from "./human-services.ts";
export {
  deleteMessageWebhook,
  getMessageWebhook,
  rotateMessageWebhookSecret,
  setMessageWebhook,
} from "./message-webhook.ts";
export {
  deleteOperatorWebhook,
  getOperatorWebhook,
  rotateOperatorWebhookSecret,
  setOperatorWebhook,
} from "./operator-webhook.ts";
export { deleteInbox, getInbox, openInbox, setInbox } from "./inbox-service.ts";
export { redactReply } from "./redact-reply.ts";
export { resealWebhooks } from "./reseal.ts";
export { sendTestEvent } from "./send-test-event.ts";
export { isSignedBy } from "./signing.ts";
export { sampleWebhookSeals } from "./stored-seals.ts";

export { callDeveloper, type CallParts } from "./call-developer.ts";
export { openDestination, type Destination, type DestinationRow } from "./destination.ts";
export {
  createHumanService,
  deleteHumanService,
  listHumanServices,
  updateHumanService,
} from "./human-services.ts";
export {
  deleteMessageWebhook,
  getMessageWebhook,
  rotateMessageWebhookSecret,
  setMessageWebhook,
} from "./message-webhook.ts";
export { resealWebhooks } from "./reseal.ts";

export type { OutgoingAnswer } from "./answers.ts";
export type { Bodies, CallContext, CallKind, IncomingCall } from "./calls.ts";
export type { WebhookCredentials } from "./credentials.ts";
export { createMemoryStore, type DeduplicationStore, type MemoryStoreOptions } from "./deduplication.ts";
export { createOrderKeeper, type OrderKeeper, type Place, placeInOrder } from "./order.ts";
export { type Framework, RawBodyUnavailableError } from "./raw-body.ts";
export { createReceiver, type Receiver, type ReceiverOptions } from "./receiver.ts";

export type * from "./client.generated.ts";
export type * from "./bodies.generated.ts";
export { type Answer, type Call, type PagedCall } from "./call.ts";
export { type ChangeStreamEvent } from "./change-stream.ts";
export { type ChatStreamEvent } from "./chat-stream.ts";
export { createClient } from "./client.ts";
export {
  type FailureNamed,
  isFailure,
  MissingCredentialError,
  SignalboxConnectionError,
  SignalboxError,
} from "./errors.ts";
export { type FollowOptions } from "./following.ts";
export {
  type CallStreamMessageInstead,
  type MessageStream,
  type NotStreaming,
  type ReplyIn,
  type StreamMessageRequest,
} from "./message-stream.ts";
export { type CallOptions, type ClientOptions, type RequestEvent, type ResponseEvent } from "./options.ts";
export { readServerSentEvents, type ServerSentEvent } from "./server-sent-events.ts";

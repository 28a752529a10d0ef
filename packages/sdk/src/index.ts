export { type ChangeStreamEvent } from "./change-stream.ts";
export { type ChatStreamEvent } from "./chat-stream.ts";
export { type FollowOptions } from "./following.ts";
export { type Answer, type Call, type Client, createClient } from "./client.ts";
export {
  type FailureNamed,
  isFailure,
  MissingCredentialError,
  SignalboxConnectionError,
  SignalboxError,
} from "./errors.ts";
export { type MessageStream, type MessageStreamEvent, type StreamRequest } from "./message-stream.ts";
export { type CallOptions, type ClientOptions } from "./sending.ts";
export { readServerSentEvents, type ServerSentEvent } from "./server-sent-events.ts";

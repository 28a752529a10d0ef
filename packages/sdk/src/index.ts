export {
  type Answer,
  type Call,
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
} from "./client.ts";
export { SignalboxConnectionError, SignalboxError } from "./errors.ts";

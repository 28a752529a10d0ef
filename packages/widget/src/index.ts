export type { Upload } from "./attach.ts";
export { SignalboxChat } from "./element.ts";
export {
  type Attachment,
  type ChatEvent,
  ChatFailure,
  type ChatTransport,
  type Holder,
  type Rating,
  type Sender,
} from "./transport.ts";
export type { Words } from "./words.ts";

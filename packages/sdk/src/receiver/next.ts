import type { IncomingMessage, ServerResponse } from "node:http";
import { answerNode } from "./node.ts";
import type { Receiver } from "./receiver.ts";
import { answerRequest } from "./web.ts";

/** `export const { POST } = nextReceiver(receiver)` in `app/hooks/[[...path]]/route.ts`. */
export function nextReceiver(receiver: Receiver): { POST: (request: Request) => Promise<Response> } {
  return { POST: (request) => answerRequest(receiver, request, "next") };
}

/** `export default nextApiReceiver(receiver)` in `pages/api/hooks/[[...path]].ts`, with its body parser off. */
export function nextApiReceiver(
  receiver: Receiver,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return (request, response) => answerNode(receiver, request, response, "next");
}

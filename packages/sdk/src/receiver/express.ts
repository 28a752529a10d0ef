import type { IncomingMessage, ServerResponse } from "node:http";
import { answerNode } from "./node.ts";
import type { Receiver } from "./receiver.ts";

/** `app.use("/hooks", expressReceiver(receiver))`, above `express.json()`. For Express 4 and 5. */
export function expressReceiver(
  receiver: Receiver,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => void answerNode(receiver, request, response, "express");
}

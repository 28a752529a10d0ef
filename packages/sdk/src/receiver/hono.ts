import type { Receiver } from "./receiver.ts";
import { answerRequest } from "./web.ts";

/** `app.post("/hooks/*", honoReceiver(receiver))`. */
export function honoReceiver(receiver: Receiver): (context: { req: { raw: Request } }) => Promise<Response> {
  return ({ req }) => answerRequest(receiver, req.raw, "hono");
}

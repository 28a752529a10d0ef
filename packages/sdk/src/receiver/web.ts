import { chunksOf } from "../server-sent-events.ts";
import type { OutgoingAnswer } from "./answers.ts";
import { bytesOf } from "./bytes.ts";
import type { IncomingCall } from "./calls.ts";
import { type Framework, RawBodyUnavailableError, readAtMost } from "./raw-body.ts";

/** What an adapter needs of a receiver. */
export interface AnsweringReceiver {
  /** For adapters: everything but reading the bytes and writing the answer. */
  answer(call: IncomingCall): Promise<OutgoingAnswer>;
  /** For adapters: the answer where the bytes could not be had. */
  refuseUnread(error: unknown): OutgoingAnswer;
  readonly maxBodyBytes: number;
}

/** `receiver.fetch`, with the fix of the framework that hands the request over. */
export async function answerRequest(
  receiver: AnsweringReceiver,
  request: Request,
  framework: Framework,
): Promise<Response> {
  const { status, headers, body } = await answerOf(receiver, request, framework);
  return new Response(body, { status, headers });
}

async function answerOf(
  receiver: AnsweringReceiver,
  request: Request,
  framework: Framework,
): Promise<OutgoingAnswer> {
  try {
    if (request.bodyUsed) throw new RawBodyUnavailableError(framework);
    const body =
      request.body === null ? bytesOf("") : await readAtMost(chunksOf(request.body), receiver.maxBodyBytes);
    return await receiver.answer({
      method: request.method,
      path: new URL(request.url).pathname,
      header: (name) => request.headers.get(name) ?? undefined,
      body,
    });
  } catch (error) {
    return receiver.refuseUnread(error);
  }
}

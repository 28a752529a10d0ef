import type { IncomingMessage, ServerResponse } from "node:http";
import type { OutgoingAnswer } from "./answers.ts";
import { type Framework, RawBodyUnavailableError, readAtMost } from "./raw-body.ts";
import type { Receiver } from "./receiver.ts";

/** What frameworks hang onto Node's request. */
interface MaybeParsed {
  body?: unknown;
  rawBody?: unknown;
  originalUrl?: unknown;
}

/** `http.createServer(nodeReceiver(receiver))`. */
export function nodeReceiver(
  receiver: Receiver,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => void answerNode(receiver, request, response, "node");
}

/** For every framework whose request is Node's own. Never rejects. */
export async function answerNode(
  receiver: Receiver,
  request: IncomingMessage,
  response: ServerResponse,
  framework: Framework,
): Promise<void> {
  const { status, headers, body } = await answerOf(receiver, request, framework);
  if (response.destroyed) return;
  // The rest of a body that was too large is not worth reading.
  if (!request.complete) response.setHeader("connection", "close");
  response.writeHead(status, headers);
  response.end(body);
}

async function answerOf(
  receiver: Receiver,
  request: IncomingMessage & MaybeParsed,
  framework: Framework,
): Promise<OutgoingAnswer> {
  try {
    return await receiver.answer({
      method: request.method ?? "",
      path: typeof request.originalUrl === "string" ? request.originalUrl : (request.url ?? ""),
      header: (name) => headerOf(request, name),
      body: await rawBodyOf(receiver, request, framework),
    });
  } catch (error) {
    return receiver.refuseUnread(error);
  }
}

async function rawBodyOf(
  receiver: Receiver,
  request: IncomingMessage & MaybeParsed,
  framework: Framework,
): Promise<Uint8Array> {
  if (request.rawBody instanceof Uint8Array) return request.rawBody;
  if (request.body instanceof Uint8Array) return request.body;
  if (request.body !== undefined || request.readableDidRead) throw new RawBodyUnavailableError(framework);
  return readAtMost(request as AsyncIterable<Uint8Array>, receiver.maxBodyBytes);
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

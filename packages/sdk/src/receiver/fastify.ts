import { bytesOf } from "./bytes.ts";
import { RawBodyUnavailableError } from "./raw-body.ts";
import type { Receiver } from "./receiver.ts";

/** The little of Fastify that is used, so that the SDK need not depend on it. */
interface Scope {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    contentType: string,
    options: { parseAs: "buffer"; bodyLimit: number },
    parser: (request: unknown, body: Buffer, done: (error: Error | null, body?: unknown) => void) => void,
  ): unknown;
  post(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>): unknown;
}

interface FastifyRequest {
  method: string;
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
}

interface FastifyReply {
  code(status: number): FastifyReply;
  headers(headers: Record<string, string>): FastifyReply;
  send(body: string): unknown;
}

/** `app.register(fastifyReceiver(receiver), { prefix: "/hooks" })`: its parser holds for these paths alone. */
export function fastifyReceiver(receiver: Receiver): (scope: Scope) => Promise<void> {
  return async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "*",
      { parseAs: "buffer", bodyLimit: receiver.maxBodyBytes },
      (_request, body, done) => done(null, body),
    );
    const handle = async (request: FastifyRequest, reply: FastifyReply) => {
      const bytes = request.body ?? bytesOf("");
      const { status, headers, body } =
        bytes instanceof Uint8Array
          ? await receiver.answer({
              method: request.method,
              path: request.url,
              header: (name) => headerOf(request, name),
              body: bytes,
            })
          : receiver.refuseUnread(new RawBodyUnavailableError("fastify"));
      return reply.code(status).headers(headers).send(body);
    };
    scope.post("/", handle);
    scope.post("/*", handle);
    return Promise.resolve();
  };
}

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

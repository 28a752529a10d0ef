export type Framework = "express" | "fastify" | "hono" | "next" | "node" | "web";

const FIXES: Record<Framework, string> = {
  express:
    'Mount the receiver before express.json(): app.use("/hooks", expressReceiver(receiver)) above app.use(express.json()).',
  fastify:
    'Register it as a plugin of its own, so that its parser holds: app.register(fastifyReceiver(receiver), { prefix: "/hooks" }).',
  hono: "Let no middleware on this path call c.req.json(), c.req.text() or c.req.parseBody() before the receiver.",
  next: "In a route handler do not read the request first; under pages/api add: export const config = { api: { bodyParser: false } }.",
  node: "Pass the request on before anything reads it. If you need the bytes too, put them in request.rawBody.",
  web: "Pass the unread request itself. receiver.fetch(request.clone()) leaves you a copy to read.",
};

/** The bytes are gone, and a signature cannot be verified over what a parser made of them. */
export class RawBodyUnavailableError extends Error {
  override readonly name = "RawBodyUnavailableError";
  readonly framework: Framework;
  /** What to change, in the words of the framework. */
  readonly fix: string;

  constructor(framework: Framework) {
    super(`The body was read before the receiver could verify its bytes. ${FIXES[framework]}`);
    this.framework = framework;
    this.fix = FIXES[framework];
  }
}

export class BodyTooLargeError extends Error {
  override readonly name = "BodyTooLargeError";
}

export async function readAtMost(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) throw new BodyTooLargeError(`the body is larger than ${maxBytes} bytes`);
    parts.push(chunk);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

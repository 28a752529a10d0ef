import type { IncomingMessage } from "node:http";
import { Server as NetServer } from "node:net";
import type { FastifyInstance } from "fastify";

const LOOK_EVERY_MS = 50;
const READ_TO_ITS_END_MS = 5_000;

/** Refuses new connections and leaves open ones as they are: the server's own `close` would cut those that are idle. */
export function stopListening({ server }: FastifyInstance): void {
  NetServer.prototype.close.call(server);
}

/**
 * Answers what still comes over open connections, each with `Connection: close`. An idle one is left to its client for
 * `keepAliveMs`: a proxy may be sending a request on it at this moment, and would not repeat a POST.
 */
export function closeGracefully(http: FastifyInstance, keepAliveMs: number): void {
  let closing = false;
  http.addHook("preClose", async () => {
    closing = true;
    stopListening(http);
    const until = performance.now() + keepAliveMs;
    while (performance.now() < until && (await connectionsOf(http)) > 0)
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  });
  http.addHook("onSend", async (request, reply) => {
    // A connection kept alive after its last answer would hold a stopping process until its time is up.
    if (closing) reply.header("connection", "close");
    // A close under a sender who is still sending is a reset, and takes our answer with it.
    if ((closing || !reply.raw.shouldKeepAlive) && !request.raw.complete) await readToItsEnd(request.raw);
  });
}

function connectionsOf({ server }: FastifyInstance): Promise<number> {
  return new Promise((resolve) =>
    server.getConnections((error, count) => resolve(error === null ? count : 0)),
  );
}

function readToItsEnd(body: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, READ_TO_ITS_END_MS);
  body.once("end", resolve).once("close", resolve).resume();
  return promise.finally(() => clearTimeout(timer));
}

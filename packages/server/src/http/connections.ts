import type { Server } from "node:http";
import type { Socket } from "node:net";
import { createOpenCounts, type LimitName, type Metrics } from "../platform/index.ts";
import { networkOf, type ClientAddresses } from "./client-address.ts";
import { rawFailure } from "./failure-reply.ts";

export interface ConnectionLimits {
  ofNode: number;
  ofAddress: number;
}

/** Longer than an answer takes to a client that reads. */
const READ_WITHIN_MS = 5_000;
const RETRY_AFTER_SECONDS = 10;

/** Whatever becomes of the requests on them: connections cost memory and open files before anybody is known. */
export function limitConnections(
  server: Server,
  { ofNode, ofAddress }: ConnectionLimits,
  { clients, metrics }: { clients: ClientAddresses; metrics: Metrics },
): void {
  const counts = createOpenCounts();
  const countRefusal = (limit: LimitName) => metrics.limitRefusals.inc({ limit });
  // Above this limit Node closes what it accepts: there are too many to write an answer to each.
  server.maxConnections = ofNode;
  server.on("drop", () => countRefusal("connections"));
  server.on("connection", (socket) => {
    const { remoteAddress = "" } = socket;
    // A proxy's connections are many clients'.
    if (remoteAddress === "" || clients.isTrustedProxy(remoteAddress)) return;
    const key = networkOf(remoteAddress);
    const close = counts.open([{ key, most: ofAddress, refuse: () => undefined }]);
    if (close !== undefined) {
      socket.once("close", close);
      return;
    }
    countRefusal("address_connections");
    // Not held until the client has read it: the connections of one address would take those of the node.
    socket.on("error", () => undefined);
    socket.end(TOO_MANY);
    socket.destroySoon();
  });
}

const TOO_MANY = rawFailure(
  "tooManyRequests",
  "your IP address has too many open connections to this service; close some, or wait until Retry-After has passed",
  { "retry-after": String(RETRY_AFTER_SECONDS) },
);

/** Answers, reads on until the client closes, so that it can read the answer, and closes in any case. */
export function endSoon(socket: Socket, answer: string): void {
  // The parser complains of each piece that still comes.
  if (socket.writableEnded) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const timer = setTimeout(() => socket.destroy(), READ_WITHIN_MS);
  socket.once("close", () => clearTimeout(timer));
  socket.once("end", () => socket.destroySoon());
  socket.on("error", () => undefined);
  socket.end(answer);
  socket.resume();
}

import { lookup } from "node:dns/promises";
import { createServer, type ServerHttp2Session } from "node:http2";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import {
  createEndpointHandler,
  handlers,
  object,
  TerminalError,
  type ObjectContext,
} from "@restatedev/restate-sdk";
import type { Log } from "../platform/index.ts";
import { readObjectKey } from "./object-key.ts";

/** One call of a durable object: which row it is about, and when it is no longer wanted. */
export interface Work {
  agentId: string;
  id: string;
  /** Aborted when the engine has given this call to somebody else, or nobody waits for it. */
  ended: AbortSignal;
}

/** A durable object: the engine runs one handler at a time for each key, over all workers. */
export interface EngineObject {
  name: string;
  handlers: Record<string, (work: Work) => Promise<void>>;
  /** No handler runs longer; a worker that hangs is given up this soon after. */
  longestMs: number;
}

const ABORT_AFTER_MS = 5_000;

export interface EngineServing {
  close(): Promise<void>;
}

export async function serveEngine(options: {
  host: string;
  port: number;
  /** Of the engine; calls that none of them signed are refused. With none, any call is taken. */
  identityKeys: string[];
  objects: EngineObject[];
  log: Log;
}): Promise<EngineServing> {
  const { port, identityKeys, objects, log } = options;
  const host = await ownAddressOf(options.host);
  if (identityKeys.length === 0 && !isLoopback(host)) log.warn("engine_identity_unset", { host, port });
  const server = createServer(
    createEndpointHandler({
      services: objects.map((definition) => toRestate(definition, log)),
      identityKeys,
      logger: (meta, message) => log.debug("engine_sdk", { sdkLevel: meta.level, detail: String(message) }),
    }),
  );
  const sessions = new Set<ServerHttp2Session>();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", (error) => log.debug("engine_session_failed", { err: error }));
    session.on("close", () => sessions.delete(session));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // Workers of one machine share the engine's one address for all of them.
    server.listen({ host, port, reusePort: process.platform === "linux" }, resolve);
  });
  return {
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const session of sessions) session.close();
      await closed;
    },
  };
}

/** A name that several machines share, as replicas do, stands for the one of its addresses that is this machine's. */
async function ownAddressOf(host: string): Promise<string> {
  if (isIP(host) !== 0) return host;
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const found = await lookup(host, { all: true });
  return found.find(({ address }) => own.some((one) => one.address === address))?.address ?? host;
}

function isLoopback(address: string): boolean {
  return address === "::1" || address === "localhost" || address.startsWith("127.");
}

function toRestate({ name, handlers: bodies, longestMs }: EngineObject, log: Log) {
  return object({
    name,
    handlers: Object.fromEntries(
      Object.entries(bodies).map(([handler, body]) => [
        handler,
        handlers.object.exclusive({}, async (context: ObjectContext) => {
          const key = readObjectKey(context.key);
          if (key === undefined) throw new TerminalError("the key is not of this service");
          try {
            await body({ ...key, ended: context.request().attemptCompletedSignal });
          } catch (error) {
            log.warn("engine_call_failed", { err: error, object: name, handler, ...key });
            throw error;
          }
        }),
      ]),
    ),
    options: {
      // Finished calls leave nothing behind: by default each would be kept for a day.
      journalRetention: 0,
      idempotencyRetention: 0,
      inactivityTimeout: longestMs,
      abortTimeout: ABORT_AFTER_MS,
      // Our timetable stands in PostgreSQL; the engine's own tries only bridge a hiccup, then the reconciler calls again.
      retryPolicy: {
        initialInterval: 200,
        maxInterval: 2_000,
        exponentiationFactor: 2,
        maxAttempts: 6,
        onMaxAttempts: "kill",
      },
    },
  });
}

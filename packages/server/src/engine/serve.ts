import { lookup } from "node:dns/promises";
import { createServer, type ServerHttp2Session } from "node:http2";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import {
  createEndpointHandler,
  handlers,
  object,
  service,
  TerminalError,
  type Context,
  type ObjectContext,
} from "@restatedev/restate-sdk";
import { derivedId, type Log } from "../platform/index.ts";
import { ALARM_SERVICE, type Alarm, type AlarmSlot } from "./alarm.ts";
import { mayShare, TRIES_MAX, type Batch } from "./call.ts";
import type { CallSender } from "./client.ts";
import type { EngineObject } from "./engine-object.ts";
import { readObjectKey } from "./object-key.ts";
import { createBatchRunner } from "./run-batch.ts";

const ABORT_AFTER_MS = 5_000;
const TRIES_OF_OTHERS = 6;

export interface EngineServing {
  close(): Promise<void>;
}

export async function serveEngine(options: {
  host: string;
  port: number;
  /** The engine's public keys: calls that none of them signed are refused. Without keys, any call is taken. */
  identityKeys: string[];
  objects: EngineObject[];
  alarms: Alarm[];
  sender: CallSender;
  log: Log;
}): Promise<EngineServing> {
  const { port, identityKeys, objects, alarms, log } = options;
  const host = await ownAddressOf(options.host);
  if (identityKeys.length === 0 && !isLoopback(host)) log.warn("engine_identity_unset", { host, port });
  const running = new Set<Promise<void>>();
  const during: During = (call) => {
    running.add(call);
    return call.finally(() => running.delete(call));
  };
  const server = createServer(
    createEndpointHandler({
      services: [
        ...objects.map((definition) => toRestate(definition, log, during)),
        batchService(options, during),
        alarmService(alarms, during),
      ],
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
      // The engine may hang up on a call that goes on: what it began is ended with the database and the engine still there.
      await Promise.allSettled(running);
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

/** Counts a call among those that are running until it has ended. */
type During = (call: Promise<void>) => Promise<void>;

function toRestate({ name, handlers: bodies, longestMs }: EngineObject, log: Log, during: During) {
  return object({
    name,
    handlers: Object.fromEntries(
      Object.entries(bodies).map(([handler, body]) => [
        handler,
        handlers.object.exclusive({}, async (context: ObjectContext, given?: string) => {
          const key = readObjectKey(context.key);
          if (key === undefined) throw new TerminalError("the key is not of this service");
          const { id, attemptCompletedSignal: ended } = context.request();
          try {
            await during(body({ ...key, callId: given ?? derivedId("call", String(id)), ended }));
          } catch (error) {
            log.warn("engine_call_failed", { err: error, object: name, handler, ...key });
            throw error;
          }
        }),
      ]),
    ),
    options: optionsFor(longestMs, mayShare(name) ? TRIES_MAX : TRIES_OF_OTHERS),
  });
}

export const BATCH_SERVICE = "batch";

function batchService(
  { objects, sender, log }: { objects: EngineObject[]; sender: CallSender; log: Log },
  during: During,
) {
  const shared = objects.filter(({ name }) => mayShare(name));
  const run = createBatchRunner({ objects: shared, sender, log });
  return service({
    name: BATCH_SERVICE,
    handlers: {
      run: handlers.handler({}, (context: Context, batch: Batch) =>
        during(run(batch, context.request().attemptCompletedSignal)),
      ),
    },
    options: optionsFor(Math.max(0, ...shared.map(({ longestMs }) => longestMs)), TRIES_MAX),
  });
}

const RING_LONGEST_MS = 30_000;

function alarmService(alarms: readonly Alarm[], during: During) {
  return service({
    name: ALARM_SERVICE,
    handlers: Object.fromEntries(
      alarms.map(({ name, ring }) => [
        name,
        handlers.handler({}, (_: Context, slot: AlarmSlot) => during(ring(slot))),
      ]),
    ),
    options: optionsFor(RING_LONGEST_MS, TRIES_OF_OTHERS),
  });
}

function optionsFor(longestMs: number, maxAttempts: number) {
  return {
    // Finished calls leave nothing behind: by default each would be kept for a day.
    journalRetention: 0,
    idempotencyRetention: 0,
    inactivityTimeout: longestMs,
    abortTimeout: ABORT_AFTER_MS,
    // Our timetable stands in PostgreSQL; the engine's own tries only bridge an outage, then the reconciler calls again.
    retryPolicy: {
      initialInterval: 200,
      maxInterval: 2_000,
      exponentiationFactor: 2,
      maxAttempts,
      onMaxAttempts: "kill" as const,
    },
  };
}

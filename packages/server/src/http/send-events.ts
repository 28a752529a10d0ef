import { once } from "node:events";
import { HEADERS } from "@signalbox/contract";
import type { FastifyReply } from "fastify";
import type { EventStream, Log } from "../platform/index.ts";

/** With the two seconds that sessions and tokens are remembered for, a stream outlives a revoked one by less than five. */
const MAY_STILL_EVERY_MS = 2_000;

export interface SendEventsOptions {
  log: Log;
  /** Asked again and again: the stream ends once it says no. */
  mayStill?: () => Promise<boolean>;
}

/** Flushed frame by frame, at the reader's pace; a client that leaves ends the source of the frames. */
export async function sendEvents(
  reply: FastifyReply,
  stream: EventStream,
  { log, mayStill }: SendEventsOptions,
): Promise<FastifyReply> {
  const { raw } = reply;
  const lastEventId = reply.request.headers[HEADERS.lastEventId]?.toString();
  const left = new AbortController();
  const ask = () => {
    // While the database cannot say, nobody is shut out.
    mayStill?.().then(
      (may) => may || left.abort(),
      () => undefined,
    );
  };
  const asking = mayStill && setInterval(ask, MAY_STILL_EVERY_MS);
  raw.once("close", () => {
    clearInterval(asking);
    left.abort();
  });
  reply.hijack();
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    ...stream.headers,
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    // A proxy that collects the answer before it hands it on would make a stream pointless.
    "x-accel-buffering": "no",
  });
  raw.flushHeaders();
  try {
    for await (const frame of stream.open(left.signal, lastEventId)) {
      if (left.signal.aborted) break;
      if (!raw.write(frame)) await once(raw, "drain", { signal: left.signal });
    }
  } catch (error) {
    // A client that left needs no more; for any other, a stream that breaks off without its end reports a failure.
    if (!left.signal.aborted) {
      log.error("event_stream_crashed", { err: error, requestId: reply.request.id });
      raw.destroy();
    }
  }
  raw.end();
  return reply;
}

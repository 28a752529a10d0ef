import type { RouteName } from "@signalbox/contract";
import { SignalboxError } from "./errors.ts";
import { backoffMs, isPassing, pause } from "./retrying.ts";
import { liveBytes, type Sender } from "./sending.ts";
import { readServerSentEvents, type ServerSentEvent } from "./server-sent-events.ts";

export interface FollowOptions {
  /** The id of the last message you have: what came after it is told. Left out: everything. */
  lastEventId?: string;
  /** Ends it. */
  signal?: AbortSignal;
  /** The longest silence; the service says something every 20 seconds. */
  timeoutMs?: number;
}

const LONGEST_PAUSE_MS = 15_000;

/** Every event of a stream, until the signal ends it; comes back by itself, with the last id, when the line breaks. */
export async function* follow(
  sender: Sender,
  { name, input }: { name: RouteName; input: object },
  { lastEventId, ...call }: FollowOptions,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let last = lastEventId;
  let wasOpen = false;
  let failures = 0;
  while (!call.signal?.aborted) {
    try {
      const opened = await sender.open(name, input, { ...call, lastEventId: last });
      wasOpen = true;
      for await (const told of readServerSentEvents(liveBytes(opened))) {
        failures = 0;
        if (told.id !== "") last = told.id;
        yield told;
      }
    } catch (error) {
      if (call.signal?.aborted) return;
      if (!wasOpen || (error instanceof SignalboxError && !isPassing(error.status))) throw error;
    }
    failures += 1;
    // Cut short only by the signal, and then this is over.
    await pause(Math.min(LONGEST_PAUSE_MS, backoffMs(failures, Math.random())), call.signal).catch(() => {});
  }
}

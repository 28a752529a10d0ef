import { setTimeout as sleep } from "node:timers/promises";
import type { Delivery, RequestOf } from "@signalbox/contract";
import { type Client, SignalboxConnectionError } from "@signalbox/sdk";

export interface Following {
  client: Client;
  filter: Pick<RequestOf<"listDeliveries">, "agent_id" | "event">;
  /** From this time on; undefined: what comes from now on. */
  sinceMs: number | undefined;
  everyMs: number;
  stopping: AbortSignal;
  /** The service is away, or back. */
  onReachable: (isReachable: boolean) => void;
}

/** A delivery is stamped before it is committed, so it can show up behind younger ones. */
const LATE_MS = 60_000;

/** Every delivery once, oldest first, also those that came while the service, or this machine, was away. */
export async function* followDeliveries(following: Following): AsyncGenerator<Delivery> {
  const { sinceMs, everyMs, stopping } = following;
  const seen = new Map<string, number>();
  let newestMs = sinceMs ?? 0;
  let isFirst = sinceMs === undefined;
  while (!stopping.aborted) {
    const found = isFirst ? await readNewest(following) : await readSince(following, newestMs - LATE_MS);
    const fresh = (found ?? [])
      .filter(({ delivery_id, create_time }) => !seen.has(delivery_id) && create_time >= (sinceMs ?? 0))
      .toReversed();
    for (const delivery of fresh) {
      seen.set(delivery.delivery_id, delivery.create_time);
      newestMs = Math.max(newestMs, delivery.create_time);
      if (!isFirst) yield delivery;
    }
    if (found !== undefined) isFirst = false;
    for (const [id, time] of seen) if (time < newestMs - 2 * LATE_MS) seen.delete(id);
    await sleep(everyMs, undefined, { signal: stopping }).catch(() => undefined);
  }
}

/** Existing deliveries count as seen; the service's own clock says which those are. */
async function readNewest(following: Following): Promise<Delivery[] | undefined> {
  const newest = await readPages(following, {}, 1);
  const [first] = newest ?? [];
  return first === undefined ? newest : readSince(following, first.create_time - LATE_MS);
}

function readSince(following: Following, from_time: number): Promise<Delivery[] | undefined> {
  return readPages(following, { from_time: Math.max(0, from_time) }, Infinity);
}

/** Newest first. Undefined when the service does not answer: the next look reads the same. */
async function readPages(
  { client, filter, onReachable }: Following,
  narrowed: { from_time?: number },
  most: number,
): Promise<Delivery[] | undefined> {
  const found: Delivery[] = [];
  let cursor: string | null | undefined;
  try {
    do {
      const page = await client.deliveries.list({
        ...filter,
        ...narrowed,
        limit: Math.min(100, most),
        ...(typeof cursor === "string" && { cursor }),
      });
      found.push(...page.list);
      cursor = page.next_cursor;
    } while (cursor !== null && found.length < most);
    onReachable(true);
    return found;
  } catch (error) {
    if (!(error instanceof SignalboxConnectionError)) throw error;
    onReachable(false);
    return undefined;
  }
}

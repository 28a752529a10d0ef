import { setTimeout as sleep } from "node:timers/promises";
import type { Arrivals } from "./arrivals.ts";
import type { Caller } from "./callers.ts";

const ARRIVE_WITHIN_MS = 60_000;
const asked = new WeakMap<Caller[], number>();

/** How many messages these have sent so far. */
export function askedSoFar(callers: Caller[]): number {
  return asked.get(callers) ?? 0;
}

/** From the call that accepts a message to its reply's arrival, at a steady rate over all of them in turn, on from the last one. */
export async function askSteadily(
  callers: Caller[],
  arrivals: Arrivals,
  { rate, seconds }: { rate: number; seconds: number },
): Promise<number[]> {
  const count = rate * seconds;
  const before = new Map(
    callers.map(({ conversationId }) => [conversationId, arrivals.timesOf(conversationId).length]),
  );
  const sentAt = new Map<string, number[]>();
  const total = arrivals.count();
  const first = askedSoFar(callers);
  asked.set(callers, first + count);
  const begun = performance.now();
  const calls: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    const waitMs = begun + (index / rate) * 1000 - performance.now();
    if (waitMs > 1) await sleep(waitMs);
    const caller = callers[(first + index) % callers.length];
    if (caller === undefined) throw new Error("nobody is there to ask");
    const times = sentAt.get(caller.conversationId) ?? [];
    sentAt.set(caller.conversationId, [...times, performance.now()]);
    calls.push(caller.ask());
  }
  await Promise.all(calls);
  await arrivals.waitFor(total + count, ARRIVE_WITHIN_MS);
  return [...sentAt].flatMap(([conversationId, times]) =>
    times.map((time, index) => {
      const place = (before.get(conversationId) ?? 0) + index;
      return (arrivals.timesOf(conversationId)[place] ?? NaN) - time;
    }),
  );
}

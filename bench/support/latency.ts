import { setTimeout as sleep } from "node:timers/promises";
import type { Arrivals } from "./arrivals.ts";
import type { Sender } from "./sender.ts";

const TIMEOUT_MS = 180_000;

/** From the moment a message is sent to its reply's arrival. `begin` is called when the conversations are there. */
export async function measureLatency(
  send: Sender,
  arrivals: Arrivals,
  { perSecond, seconds }: { perSecond: number; seconds: number },
  begin: () => void = () => undefined,
): Promise<number[]> {
  const conversations = await send.prepare(200);
  begin();
  const count = perSecond * seconds;
  const sentAt = new Map<string, number[]>(conversations.map((id) => [id, []]));
  arrivals.reset();
  const begun = performance.now();
  const calls: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    const conversationId = conversations[index % conversations.length] ?? "";
    const waitMs = begun + (index / perSecond) * 1000 - performance.now();
    if (waitMs > 1) await sleep(waitMs);
    sentAt.get(conversationId)?.push(performance.now());
    calls.push(send.one(conversationId));
  }
  await Promise.all(calls);
  await arrivals.waitFor(count, TIMEOUT_MS);
  return conversations.flatMap((id) =>
    arrivals.timesOf(id).map((time, index) => time - (sentAt.get(id)?.[index] ?? time)),
  );
}

import type { Bed } from "@signalbox/tests/support/bed.ts";
import type { Arrivals } from "./arrivals.ts";
import { openCallers } from "./callers.ts";
import { inFlight, measure, partsOf, type Measured } from "./measured.ts";
import type { Sender } from "./sender.ts";

const TIMEOUT_MS = 180_000;

/** What a message costs when each is of another agent, and what it costs when all are of one, in turn. */
export async function measureManyAgents(
  bed: Bed,
  arrivals: Arrivals,
  send: Sender,
  { agents, rounds }: { agents: number; rounds: number },
): Promise<{ ofMany: Measured; ofOne: Measured }[]> {
  const parts = partsOf(bed);
  await using callers = openCallers(bed);
  const many = await callers.addMany(agents, arrivals.url);
  const askAll = () => inFlight(agents, async (index) => many[index]?.ask());
  arrivals.reset();
  await askAll(); // the first message of an agent pays for what is kept of it
  await arrivals.waitFor(agents, TIMEOUT_MS);
  const measured: { ofMany: Measured; ofOne: Measured }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const ofMany = await measure(arrivals, agents, parts, askAll);
    const conversations = await send.prepare(agents);
    const ofOne = await measure(arrivals, agents, parts, () => send.all(conversations, 1));
    measured.push({ ofMany, ofOne });
  }
  return measured;
}

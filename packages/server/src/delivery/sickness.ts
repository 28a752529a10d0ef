import { objectKey, type Engine } from "../engine/index.ts";
import type { Database } from "../platform/index.ts";
import {
  declareSick,
  declareWell,
  readDestination,
  scheduleTry,
  tryDelayMs,
  type DestinationIdentity,
} from "./destination-store.ts";
import type { OperatorEvents } from "./operator-events.ts";

export interface SicknessParts {
  db: Database;
  engine: Engine;
  events: OperatorEvents;
}

/** The destination as a whole does not answer (open), or does not want us any more (disabled: 410). */
export async function declareSickness(
  { db, engine, events }: SicknessParts,
  identity: DestinationIdentity,
  breaker: "open" | "disabled",
  askedMs: number,
): Promise<void> {
  const tryInMs = Math.max(tryDelayMs(0, Math.random()), askedMs);
  if (!(await declareSick(db, identity, breaker, tryInMs))) return;
  await events.raise({
    kind: breaker === "open" ? "destination_failing" : "destination_disabled",
    ...identity,
  });
  if (breaker === "open") {
    await engine.send("destination", "try", objectKey(identity.agentId, identity.destinationId), tryInMs);
  }
}

/** Its try was answered: whatever waits for it is woken, at a pace it can bear. */
export async function declareLife(
  { db, engine, events }: SicknessParts,
  identity: DestinationIdentity,
): Promise<void> {
  if (!(await declareWell(db, identity.destinationId, "open"))) return;
  await events.raise({ kind: "destination_recovered", ...identity });
  await engine.send("destination", "recover", objectKey(identity.agentId, identity.destinationId));
}

/** Not before the developer's own Retry-After, whichever lane it was said to. */
export async function scheduleNextTry(
  { db, engine }: SicknessParts,
  { agentId, destinationId }: DestinationIdentity,
  askedMs: number,
): Promise<void> {
  const found = await readDestination(db, destinationId);
  if (found === undefined || found.breaker !== "open") return;
  const inMs = Math.max(tryDelayMs(found.tries, Math.random()), askedMs);
  await scheduleTry(db, destinationId, inMs, 0);
  await engine.send("destination", "try", objectKey(agentId, destinationId), inMs);
}

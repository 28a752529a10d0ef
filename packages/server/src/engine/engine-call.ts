import type { Engine } from "./client.ts";
import type { ObjectKey } from "./object-key.ts";

/** What a transaction asks for, to be done once it is committed: a call of an object, or word to a conversation's live streams. */
export type EngineCall =
  | { object: string; handler: string; key: ObjectKey; delayMs?: number }
  | { announce: ObjectKey };

/** After the commit. A call that is lost the reconciler makes, so whoever is waited for need not wait for the engine. */
export async function makeCalls(engine: Engine, calls: readonly EngineCall[]): Promise<void> {
  await Promise.all(
    calls.map(async (call) => {
      if ("announce" in call) engine.announce(call.announce);
      else await engine.send(call.object, call.handler, call.key, call.delayMs);
    }),
  );
}

import type { Engine } from "./client.ts";
import type { ObjectKey } from "./object-key.ts";

/** A call that a transaction asks for, to be made once it is committed. */
export interface EngineCall {
  object: string;
  handler: string;
  key: ObjectKey;
  delayMs?: number;
}

/** After the commit. A call that is lost the reconciler makes, so whoever is waited for need not wait for the engine. */
export async function makeCalls(engine: Engine, calls: readonly EngineCall[]): Promise<void> {
  await Promise.all(
    calls.map(({ object, handler, key, delayMs }) => engine.send(object, handler, key, delayMs)),
  );
}

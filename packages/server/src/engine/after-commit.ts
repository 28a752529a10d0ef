import type { Broadcast } from "../platform/index.ts";
import type { Engine } from "./client.ts";
import type { ObjectKey } from "./object-key.ts";

/** A call of an object that a transaction asks for, to be made once it is committed. */
export interface EngineCall {
  object: string;
  handler: string;
  key: ObjectKey;
  delayMs?: number;
}

/** An alarm that a transaction asks for; both times by the database's clock. */
export interface AlarmCall {
  alarm: string;
  dueAt: number;
  at: number;
}

/** What a transaction asks for: a call, an alarm, or word to the live streams of a conversation that it changed. */
export type AfterCommit = EngineCall | AlarmCall | { announce: ObjectKey };

export interface AfterCommitParts {
  engine: Engine;
  broadcast: Pick<Broadcast, "tell">;
}

/** After the commit. Nobody need wait for the engine: a call that is lost the reconciler makes, and streams also look for themselves. */
export async function actAfterCommit(
  { engine, broadcast }: AfterCommitParts,
  asked: readonly AfterCommit[],
): Promise<void> {
  const calls: EngineCall[] = [];
  const alarms: AlarmCall[] = [];
  for (const one of asked) {
    if ("announce" in one) broadcast.tell(one.announce);
    else if ("alarm" in one) alarms.push(one);
    else calls.push(one);
  }
  const setting = alarms.map(({ alarm, dueAt, at }) => engine.setAlarm(alarm, dueAt, at));
  await Promise.all([sendCalls(engine, calls), ...setting]);
}

export async function sendCalls(engine: Engine, calls: readonly EngineCall[]): Promise<void> {
  await Promise.all(
    calls.map(({ object, handler, key, delayMs }) => engine.send(object, handler, key, delayMs)),
  );
}

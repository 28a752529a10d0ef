import { isObjectKey, type ObjectKey } from "./object-key.ts";

/** One call of a handler as it travels: ids and nothing else. */
export interface Call {
  object: string;
  handler: string;
  key: ObjectKey;
  /** Who makes it. A call that is made again keeps its id, and so takes over at once what it had begun. */
  id: string;
}

/** What travels in one invocation, and how often its calls have failed. */
export interface Batch {
  calls: string[];
  tries: number;
}

/**
 * A call is made again for longer than it can hold a lane or a turn, so that what it had begun waits for nobody else; then the
 * reconciler calls.
 */
export const TRIES_MAX = 40;

/** ADR 0024: of these, rows of PostgreSQL say who may work, and not the engine's keys. So their calls may share an invocation. */
const SHARED_OBJECTS: ReadonlySet<string> = new Set(["lane", "turn", "handoff"]);

export function mayShare(object: string): boolean {
  return SHARED_OBJECTS.has(object);
}

export function writeCall({ object, handler, key, id }: Call): string {
  return `${object}/${handler}/${key}/${id}`;
}

/** Undefined when it is no call of ours, or not one that may share an invocation. */
export function readCall(text: string): Call | undefined {
  const [object = "", handler = "", key = "", id = ""] = text.split("/");
  return mayShare(object) && handler !== "" && id !== "" && isObjectKey(key)
    ? { object, handler, key, id }
    : undefined;
}

/** One call of a durable object: which row it is about, who makes it, and when it is no longer wanted. */
export interface Work {
  agentId: string;
  id: string;
  /** The same each time this call is made, so that it takes over at once what it had begun, and nobody else does. */
  callId: string;
  /** Aborted when the engine has given this call to somebody else, or nobody waits for it. */
  ended: AbortSignal;
  /** Gives this call an invocation of its own, where it may take its time. False if the engine did not take it; undefined where it has one. */
  goAlone?: () => Promise<boolean>;
}

/** Every object that the service serves. */
export const OBJECT_NAMES = [
  "lane",
  "turn",
  "handoff",
  "destination",
  "replay",
  "ingest",
  "savedQuestions",
  "erasure",
  "retention",
] as const;

/** A durable object. Calls with an invocation of their own run one at a time for each key; those that share one do not (ADR 0024). */
export interface EngineObject {
  name: (typeof OBJECT_NAMES)[number];
  handlers: Record<string, (work: Work) => Promise<void>>;
  /** No handler runs longer; a worker that hangs is given up this soon after. */
  longestMs: number;
}

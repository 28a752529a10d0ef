import * as originalConversations from "../../packages/server/src/conversations/index.ts";
import * as originalDelivery from "../../packages/server/src/delivery/index.ts";
import * as originalEngine from "../../packages/server/src/engine/index.ts";
import type { AlarmSlot, Call } from "../../packages/server/src/engine/index.ts";
import * as originalHandoff from "../../packages/server/src/handoff/index.ts";
import * as originalInbox from "../../packages/server/src/inbox/index.ts";
import {
  createLog,
  createMetrics,
  createSealer,
  Refusal,
  type OperatorCaller,
} from "../../packages/server/src/platform/index.ts";

export type Rooms = {
  conversations: typeof originalConversations;
  delivery: typeof originalDelivery;
  engine: typeof originalEngine;
  handoff: typeof originalHandoff;
  inbox: typeof originalInbox;
};
export const ORIGINALS: Rooms = {
  conversations: originalConversations,
  delivery: originalDelivery,
  engine: originalEngine,
  handoff: originalHandoff,
  inbox: originalInbox,
};

/** One call that reached a developer, whatever became of the answer. */
export interface Arrival {
  call: "message" | "establish" | "chat" | "close";
  webhookId: string;
  body: { conversation_id: string; message_id?: string; body?: unknown; type?: string };
}

/** What the engine was given, and gives to one worker after another until it is done. */
export interface Invocation {
  calls: Call[];
  /** An alarm has no calls of its own. */
  alarm?: AlarmSlot;
  tries: number;
  /** Others of the same keys may run beside it. */
  isShared: boolean;
  dueAt: number;
}

/** How a developer behaves at one call. `lost`: it has it, and its answer does not arrive. */
export type Behaviour = "ok" | "refuses" | "lost" | "unreachable";

/** An agent whose humans answer at a desk of its developer, or in the inbox. */
export interface Place {
  agentId: string;
  isInbox: boolean;
}

export interface Settled {
  desk: Place;
  inbox: Place;
}

export const log = createLog("silent", {});
export const metrics = createMetrics();
export const sealer = createSealer([{ id: "k1", material: Buffer.alloc(32, 7) }]);
export const nobody = async () => undefined;
const request = { id: "history", address: "127.0.0.1" };
export const CALLER = {
  kind: "agent",
  apiKeyId: "",
  apiKeyName: "",
  request,
  idempotency: undefined,
} as const;
export const OPERATOR: OperatorCaller = {
  kind: "operator",
  actor: "bootstrap_token",
  actorId: null,
  actorName: "",
  sessionId: undefined,
  agentIds: undefined,
  request,
  idempotency: undefined,
};
/** The user of the conversation that a history is about; its neighbours have other users. */
export const USER_ID = "user";

export function kept<Result>(result: Result | Refusal): Result {
  if (result instanceof Refusal) throw new Error(`${result.failure}: ${result.advice}`);
  return result;
}

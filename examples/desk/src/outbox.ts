import { setTimeout as sleep } from "node:timers/promises";
import { type Client, isFailure, SignalboxError } from "@signalbox/sdk";
import type { Entry, Store } from "./store.ts";

export interface Outbox {
  /** Something waits in this conversation, or may. */
  wake(conversationId: string): void;
  /** Resolves when nothing is on its way any more. */
  stop(): Promise<void>;
}

const AGAIN_FIRST_MS = 500;
const AGAIN_MAX_MS = 15_000;

/**
 * Sections 4.9 and 4.10: what humans wrote and closed, in its order, until the service has taken it. The time of an entry
 * never changes, so the service knows a repeat, also one of a desk that was started anew.
 */
export function openOutbox(
  store: Store,
  clientFor: (agentId: string | null) => Client | undefined,
  changed: (conversationId: string) => void,
): Outbox {
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();

  async function drain(conversationId: string): Promise<void> {
    for (let tries = 0; !stopping.signal.aborted;) {
      const entry = store.firstWaiting(conversationId);
      if (entry === undefined) return;
      const outcome = await send(entry);
      if (outcome === "later") {
        const waitMs = Math.min(AGAIN_FIRST_MS * 2 ** tries, AGAIN_MAX_MS);
        await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
        tries += 1;
        continue;
      }
      tries = 0;
      store.inTransaction(() => {
        store.settleEntry(entry.id, outcome === "taken" ? "done" : "refused");
        if (outcome === "over" && store.end(conversationId, Date.now(), "service"))
          store.addEntry({
            ...entry,
            at: Date.now(),
            kind: "ended",
            who: null,
            text: "service",
            state: "done",
          });
      });
      changed(conversationId);
    }
  }

  async function send({
    id,
    conversation_id,
    at,
    kind,
    text,
  }: Entry): Promise<"taken" | "over" | "refused" | "later"> {
    const client = clientFor(store.conversation(conversation_id)?.agent_id ?? null);
    if (client === undefined) return "refused";
    const options = { signal: stopping.signal, idempotencyKey: `desk-${conversation_id}-${id}` };
    try {
      if (kind === "ended") await client.handoffs.close({ conversation_id, timestamp: at }, options);
      else await client.handoffs.reply({ conversation_id, timestamp: at, body: text }, options);
      return "taken";
    } catch (error) {
      if (!(error instanceof SignalboxError) || error.status >= 500 || error.status === 429) return "later";
      return isFailure(error, "stateConflict") || isFailure(error, "unknownConversation")
        ? "over"
        : "refused";
    }
  }

  const outbox: Outbox = {
    wake(conversationId) {
      if (running.has(conversationId) || stopping.signal.aborted) return;
      const draining = drain(conversationId).finally(() => {
        running.delete(conversationId);
        // A call may have been written after the last look and before this line.
        if (!stopping.signal.aborted && store.firstWaiting(conversationId) !== undefined)
          outbox.wake(conversationId);
      });
      running.set(conversationId, draining);
    },
    async stop() {
      stopping.abort();
      await Promise.allSettled(running.values());
    },
  };
  for (const id of store.conversationsWaiting()) outbox.wake(id);
  return outbox;
}

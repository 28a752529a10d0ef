import { setTimeout as sleep } from "node:timers/promises";
import { type Client, isFailure, SignalboxError } from "@signalbox/sdk";
import type { Chatwoot } from "./chatwoot-api.ts";
import type { Outgoing, Store } from "./store.ts";

export interface Outbox {
  /** Something waits for this handoff, or may. */
  wake(handoffId: string): void;
  /** Resolves when nothing is on its way any more. */
  stop(): Promise<void>;
}

const AGAIN_FIRST_MS = 500;
const AGAIN_MAX_MS = 15_000;
/** Chatwoot's calls overtake each other: two replies, or the last of them and the end of its conversation. */
const HELD_MS = { reply: 300, close: 1_000 };

/** Sections 4.9 and 4.10: what agents wrote and resolved, in its order, until the service has taken it. */
export function openOutbox(store: Store, client: Client, chatwoot: Chatwoot): Outbox {
  const stopping = new AbortController();
  const running = new Map<string, Promise<void>>();
  const pause = (ms: number) => sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined);

  async function drain(handoffId: string): Promise<void> {
    for (let tries = 0; !stopping.signal.aborted;) {
      const next = store.firstOutgoing(handoffId);
      if (next === undefined) return;
      const heldMs = next.at + HELD_MS[next.kind] - Date.now();
      if (heldMs > 0) {
        await pause(heldMs);
        continue;
      }
      const refusal = await send(next);
      if (refusal === "later") {
        await pause(Math.min(AGAIN_FIRST_MS * 2 ** tries, AGAIN_MAX_MS));
        tries += 1;
        continue;
      }
      tries = 0;
      if (next.kind === "close") store.end(handoffId);
      else if (refusal !== undefined) await tellAgent(next, refusal);
      store.settleOutgoing(next.key);
    }
  }

  /** Why the service will never take it, or `later` when it may. */
  async function send({ key, handoff_id, kind, text, at }: Outgoing): Promise<string | undefined> {
    if (store.handoff(handoff_id)?.is_left === 1)
      return kind === "close" ? undefined : "The user has left the chat. Reply by email or phone.";
    // Time and key stay the same, so the service knows a repeat, also after a restart.
    const options = { signal: stopping.signal, idempotencyKey: `chatwoot-${key}` };
    const about = { conversation_id: handoff_id, timestamp: at };
    try {
      if (kind === "close") await client.handoffs.close(about, options);
      else await client.handoffs.reply({ ...about, body: text }, options);
      return undefined;
    } catch (error) {
      if (!(error instanceof SignalboxError) || error.status >= 500 || error.status === 429) return "later";
      return isFailure(error, "stateConflict") ? "The conversation with the user has ended." : error.message;
    }
  }

  async function tellAgent({ handoff_id, message_id }: Outgoing, reason: string): Promise<void> {
    const chatwootId = store.handoff(handoff_id)?.chatwoot_id;
    if (typeof chatwootId !== "number") return;
    // It is only a mark: what was not sent stays unsent, whether or not Chatwoot can show it.
    await chatwoot.markFailed(chatwootId, message_id, reason).catch(report);
  }

  const outbox: Outbox = {
    wake(handoffId) {
      if (running.has(handoffId) || stopping.signal.aborted) return;
      const draining = drain(handoffId).finally(() => {
        running.delete(handoffId);
        // A call may have come after the last look and before this line.
        if (!stopping.signal.aborted && store.firstOutgoing(handoffId) !== undefined) outbox.wake(handoffId);
      });
      running.set(handoffId, draining);
    },
    async stop() {
      stopping.abort();
      await Promise.allSettled(running.values());
    },
  };
  for (const id of store.handoffsWaiting()) outbox.wake(id);
  return outbox;
}

function report(error: unknown): void {
  console.error(error);
}

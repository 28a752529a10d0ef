import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** Short messages from one process to all. One may be lost, so a listener that must not miss any also polls. */
export interface Broadcast {
  tell(word: string): void;
  hear(listener: (words: string[]) => void): void;
  close(): Promise<void>;
}

const CHANNEL = "signalbox_changed";
/** Long enough to say many things at once: a commit that notifies takes a lock that all of them share. */
const GATHER_MS = 20;
const RECONNECT_MS = 1_000;
/** A payload has fewer than 8,000 bytes, and words are ASCII. */
const PAYLOAD_MAX = 7_999;
const WAITING_MAX = 10_000;

/**
 * By LISTEN and NOTIFY on a connection of its own, opened once somebody speaks or listens: inside the transactions it tells of
 * it would make every commit wait for the one before.
 */
export function openBroadcast(url: string, onError: (error: Error) => void): Broadcast {
  const waiting = new Set<string>();
  const listeners: ((words: string[]) => void)[] = [];
  const closing = new AbortController();
  let connected: pg.Client | undefined;
  let keeping: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function keepConnected(): Promise<void> {
    while (!closing.signal.aborted) {
      const client = new pg.Client({
        connectionString: url,
        options: "-c role=signalbox_work -c statement_timeout=5s",
        application_name: "signalbox_changed",
        keepAlive: true,
        connectionTimeoutMillis: 5_000,
      });
      const lost = Promise.withResolvers<void>();
      client.on("error", onError).on("end", () => lost.resolve());
      client.on("notification", ({ payload = "" }) => {
        for (const listener of listeners) listener(payload.split(","));
      });
      try {
        await client.connect();
        if (listeners.length > 0) await client.query(`listen ${CHANNEL}`);
        connected = client;
        say();
        // Closed while it was connecting: nobody else would end it.
        if (closing.signal.aborted) await client.end();
        await lost.promise;
      } catch (error) {
        if (error instanceof Error) onError(error);
        await client.end().catch(() => undefined);
      }
      connected = undefined;
      await sleep(RECONNECT_MS, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  function say(): void {
    timer = undefined;
    if (connected === undefined) return;
    const payloads: string[] = [];
    for (const word of waiting) {
      const last = payloads.at(-1);
      if (last === undefined || last.length + 1 + word.length > PAYLOAD_MAX) payloads.push(word);
      else payloads[payloads.length - 1] = `${last},${word}`;
    }
    waiting.clear();
    for (const payload of payloads)
      connected.query("select pg_notify($1, $2)", [CHANNEL, payload]).catch(onError);
  }

  return {
    tell(word) {
      keeping ??= keepConnected();
      if (waiting.size < WAITING_MAX) waiting.add(word);
      timer ??= setTimeout(say, GATHER_MS);
    },
    hear(listener) {
      listeners.push(listener);
      keeping ??= keepConnected();
      connected?.query(`listen ${CHANNEL}`).catch(onError);
    },
    async close() {
      closing.abort();
      clearTimeout(timer);
      await connected?.end().catch(() => undefined);
      await keeping;
    },
  };
}

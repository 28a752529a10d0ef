import { Pool } from "undici";
import { isObjectKey, type ObjectKey } from "./object-key.ts";

/** Sends calls to the engine. Nothing but ids goes in; whoever is called reads the rest from PostgreSQL. */
export interface Engine {
  /**
   * Calls a handler one way, now or after a delay. False means the engine did not take it: the caller goes on,
   * because the reconciler makes every call that was lost.
   */
  send(object: string, handler: string, key: ObjectKey, delayMs?: number): Promise<boolean>;
  /** Says to the live streams of a conversation, on whichever node, that it changed. If it is lost they find out by themselves. */
  announce(key: ObjectKey): void;
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 5_000;

export interface EngineOptions {
  ingressUrl: string;
  announce?: (key: ObjectKey) => void;
}

export function openEngine({ ingressUrl, announce = () => undefined }: EngineOptions): Engine {
  const pool = new Pool(new URL(ingressUrl).origin, {
    connections: 32,
    keepAliveTimeout: 30_000,
    connectTimeout: TIMEOUT_MS,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });

  async function succeeds(method: "GET" | "POST", path: string): Promise<boolean> {
    try {
      const response = await pool.request({ method, path });
      await response.body.dump();
      return response.statusCode >= 200 && response.statusCode < 300;
    } catch {
      return false;
    }
  }

  return {
    send(object, handler, key, delayMs = 0) {
      if (!isObjectKey(key)) throw new Error("only ids enter the engine");
      const delay = delayMs > 0 ? `?delay=${Math.ceil(delayMs)}ms` : "";
      return succeeds("POST", `/${object}/${key}/${handler}/send${delay}`);
    },
    announce,
    isReachable: () => succeeds("GET", "/restate/health"),
    close: () => pool.close(),
  };
}

import { Pool } from "undici";
import { isObjectKey, type ObjectKey } from "./object-key.ts";

/** Sends calls to the engine. Nothing but ids goes in; whoever is called reads the rest from PostgreSQL. */
export interface Engine {
  /**
   * Calls a handler one way, now or after a delay. False means the engine did not take it, which is logged and counted
   * here: the caller goes on, because the reconciler makes every call that was lost.
   */
  send(object: string, handler: string, key: ObjectKey, delayMs?: number): Promise<boolean>;
  /** Says to the live streams of a conversation, on whichever node, that it changed. If it is lost they find out by themselves. */
  announce(key: ObjectKey): void;
  isReachable(): Promise<boolean>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 5_000;

/** A call that the engine did not take, and why: its status, or the code of the error. */
export interface SendFailure {
  object: string;
  handler: string;
  cause: string;
}

export interface EngineOptions {
  ingressUrl: string;
  announce?: (key: ObjectKey) => void;
  onSendFailure?: (failure: SendFailure) => void;
}

export function openEngine(options: EngineOptions): Engine {
  const { ingressUrl, announce = () => undefined, onSendFailure = () => undefined } = options;
  const pool = new Pool(new URL(ingressUrl).origin, {
    connections: 32,
    keepAliveTimeout: 30_000,
    connectTimeout: TIMEOUT_MS,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });

  /** Undefined when it succeeds. */
  async function failureOf(method: "GET" | "POST", path: string): Promise<string | undefined> {
    try {
      const response = await pool.request({ method, path });
      await response.body.dump();
      return response.statusCode >= 200 && response.statusCode < 300
        ? undefined
        : `HTTP ${response.statusCode}`;
    } catch (error) {
      return error instanceof Error && "code" in error ? String(error.code) : String(error);
    }
  }

  return {
    async send(object, handler, key, delayMs = 0) {
      if (!isObjectKey(key)) throw new Error("only ids enter the engine");
      const delay = delayMs > 0 ? `?delay=${Math.ceil(delayMs)}ms` : "";
      const cause = await failureOf("POST", `/${object}/${key}/${handler}/send${delay}`);
      if (cause !== undefined) onSendFailure({ object, handler, cause });
      return cause === undefined;
    },
    announce,
    isReachable: async () => (await failureOf("GET", "/restate/health")) === undefined,
    close: () => pool.close(),
  };
}

import type { ServerResponse } from "node:http";

export interface Viewers {
  /** Keeps the answer open and tells it of every change from now on. */
  add(response: ServerResponse): void;
  tell: (conversationId: string) => void;
  close(): void;
}

/** Proxies end what is silent for longer. */
const ALIVE_EVERY_MS = 20_000;

/** The open browsers. Each is told that something changed and reads it for itself: nothing told late or twice does harm. */
export function createViewers(): Viewers {
  const open = new Set<ServerResponse>();
  const toAll = (text: string) => {
    for (const response of open) response.write(text);
  };
  const alive = setInterval(() => toAll(": \n\n"), ALIVE_EVERY_MS).unref();
  return {
    add(response) {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      response.write("retry: 1000\n\n");
      open.add(response);
      response.on("close", () => open.delete(response));
    },
    tell: (conversationId) => toAll(`data: ${JSON.stringify({ conversation_id: conversationId })}\n\n`),
    close() {
      clearInterval(alive);
      for (const response of open) response.end();
    },
  };
}

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A receiver that does as little as possible: it reads the body, notes the conversation and the time, and acknowledges. */
export interface Arrivals extends AsyncDisposable {
  url: string;
  count(): number;
  /** Arrival times of a conversation, in order, on the clock of `performance.now()`. */
  timesOf(conversationId: string): number[];
  reset(): void;
  waitFor(count: number, timeoutMs: number): Promise<void>;
}

const ACKNOWLEDGEMENT = JSON.stringify({ code: 200, msg: "success" });
const CONVERSATION = /"conversation_id":"([0-9a-f-]{36})"/;

export async function openArrivals(): Promise<Arrivals> {
  let times = new Map<string, number[]>();
  let total = 0;
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("latin1");
    request.on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const conversationId = CONVERSATION.exec(body)?.[1] ?? "";
      const seen = times.get(conversationId);
      if (seen === undefined) times.set(conversationId, [performance.now()]);
      else seen.push(performance.now());
      total += 1;
      response.writeHead(200, { "content-type": "application/json" }).end(ACKNOWLEDGEMENT);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    count: () => total,
    timesOf: (conversationId) => times.get(conversationId) ?? [],
    reset() {
      times = new Map();
      total = 0;
    },
    async waitFor(count, timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      while (total < count) {
        if (performance.now() > deadline)
          throw new Error(`${total} of ${count} arrived within ${timeoutMs} ms`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Tally } from "./tally.ts";

/** What a client sends before it falls silent. Each keeps its half of the connection open, whatever the service does. */
const BEGINNINGS = [
  "",
  "GET /livez HTTP/1.1\r\nhost: a\r\nx: ",
  "POST /admin/v1/session HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{",
  "this is not HTTP\r\n\r\n",
  "GET /livez HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
];
const TOGETHER = 20;
const KEPT_MAX = 1_000;
const PAUSE_MS = 20;

/** Keeps this many connections of each address half open, and opens one again when the service ends it. */
export async function keepHalfOpen(
  baseUrl: string,
  sources: string[],
  tally: Tally,
  over: AbortSignal,
): Promise<void> {
  const { hostname, port } = new URL(baseUrl);
  const kept = new Set<Socket>();
  const open = (localAddress: string, beginning: string) => {
    tally.requests += 1;
    const socket = connect({ host: hostname, port: Number(port), localAddress, allowHalfOpen: true });
    kept.add(socket);
    socket.on("connect", () => {
      tally.accepted += 1;
      socket.write(beginning);
    });
    socket.on("error", () => (tally.failed += 1));
    socket.on("close", () => kept.delete(socket));
    socket.resume();
  };
  while (!over.aborted) {
    for (const source of sources)
      for (let n = 0; n < TOGETHER && kept.size < KEPT_MAX * sources.length; n += 1)
        open(source, BEGINNINGS[n % BEGINNINGS.length] ?? "");
    await sleep(PAUSE_MS);
  }
  for (const socket of kept) socket.destroy();
}

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Plays the OpenTelemetry collector: it writes down all it gets. */
export type Collector = AsyncDisposable & { port: number; exports: { path: string; bytes: Buffer }[] };

export async function startCollector(port: number): Promise<Collector> {
  const exports: Collector["exports"] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      exports.push({ path: request.url ?? "", bytes: Buffer.concat(chunks) });
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    exports,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import { once } from "node:events";
import { createServer, type Socket } from "node:net";

/** One connection that somebody made, to whatever address. */
export type Visit = { address: string; port: number; bytes: number; text: string };

export type WatchedNetwork = AsyncDisposable & {
  visits: Visit[];
  /** The answer to bytes that arrive, from now on; undefined hangs up. */
  reply(responder: (visit: Visit) => string | undefined): void;
};

const SUCCESS =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 28\r\n\r\n{"code":200,"msg":"success"}';

/**
 * Listens on these ports at every address there is, and so in a private network sees every connection anybody makes there,
 * with the address it was meant for.
 */
export async function watchNetwork(ports: number[]): Promise<WatchedNetwork> {
  const visits: Visit[] = [];
  const sockets = new Set<Socket>();
  let responder: (visit: Visit) => string | undefined = () => SUCCESS;
  const servers = ports.map((port) => {
    const server = createServer((socket) => {
      const address = (socket.localAddress ?? "").replace(/^::ffff:(?=\d+\.)/, "");
      const visit: Visit = { address, port, bytes: 0, text: "" };
      visits.push(visit);
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
      socket.on("data", (chunk) => {
        visit.bytes += chunk.length;
        visit.text += chunk.toString("latin1");
        const text = responder(visit);
        if (text === undefined) socket.destroy();
        else socket.write(text);
      });
    });
    return server.listen(port, "::");
  });
  await Promise.all(servers.map((server) => once(server, "listening")));
  return {
    visits,
    reply: (next) => void (responder = next),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

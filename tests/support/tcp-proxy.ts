import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** Given for bytes that must not arrive: the connection is cut on both sides, and they are thrown away. */
export const CUT = Symbol("cut");

/** Sees every byte of one connection, and says which go on. */
export type Watcher = {
  toServer(chunk: Buffer): Buffer | typeof CUT;
  toClient(chunk: Buffer): Buffer | typeof CUT;
  /** It ended, by a cut or otherwise. */
  ended?(): void;
};

export type TcpProxy = AsyncDisposable & { port: number; connections(): number };

/** Stands between a client and a server on this machine. A server that takes no connection ends its client's. */
export async function openTcpProxy(serverPort: number, watch: () => Watcher): Promise<TcpProxy> {
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port: serverPort, host: "127.0.0.1", noDelay: true });
    const watcher = watch();
    open.add(client);
    open.add(upstream);
    upstream.on("close", () => open.delete(upstream));
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    const forward = (from: Socket, to: Socket, judge: (chunk: Buffer) => Buffer | typeof CUT) => {
      from.on("data", (chunk: Buffer) => {
        if (from.destroyed) return;
        const passed = judge(chunk);
        if (passed === CUT) return cut();
        if (passed.length === 0 || to.write(passed)) return;
        from.pause();
        to.once("drain", () => from.resume());
      });
      from.on("end", () => to.end());
      from.on("error", cut);
    };
    forward(client, upstream, (chunk) => watcher.toServer(chunk));
    forward(upstream, client, (chunk) => watcher.toClient(chunk));
    upstream.on("close", () => client.destroySoon());
    client.on("close", () => {
      upstream.destroySoon();
      if (open.delete(client)) watcher.ended?.();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    // Safe because it listens on a port.
    port: (server.address() as AddressInfo).port,
    connections: () => Math.ceil(open.size / 2),
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

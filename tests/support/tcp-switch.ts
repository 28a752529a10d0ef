import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** One address before several servers of this machine: each connection goes to the next server that takes it. */
export type TcpSwitch = AsyncDisposable & {
  port: number;
  /** To whom new connections lead. They may be named after it was started. */
  leadTo(ports: readonly number[]): void;
  /** Ends the connections to a server, as a load balancer does to one that it takes out. Gives how many there were. */
  cut(port: number): number;
  /** How many connections have sent something to this server that it has not answered. */
  unanswered(port: number): number;
};

interface Line {
  port: number;
  isUnanswered: boolean;
}

export async function openTcpSwitch(): Promise<TcpSwitch> {
  let ports: readonly number[] = [];
  let count = 0;
  const lines = new Map<Socket, Line>();
  const to = (port: number) => [...lines].filter(([, line]) => line.port === port);

  function handOn(client: Socket, [port, ...others]: number[]): void {
    if (port === undefined) return void client.destroy();
    const line: Line = { port, isUnanswered: false };
    const server = connect({ port, host: "127.0.0.1", noDelay: true });
    const ended = () => client.destroy();
    const refused = () => handOn(client, others);
    server.once("error", refused);
    server.once("connect", () => {
      server.off("error", refused).on("error", ended).on("close", ended);
      if (client.destroyed) return void server.destroy();
      lines.set(client, line);
      client.on("close", () => {
        lines.delete(client);
        server.destroy();
      });
      client.on("data", () => (line.isUnanswered = true));
      server.on("data", () => (line.isUnanswered = false));
      client.pipe(server);
      server.pipe(client);
    });
  }

  const listener = createServer({ noDelay: true }, (client) => {
    client.on("error", () => undefined);
    count += 1;
    handOn(
      client,
      ports.map((_, index) => ports[(count + index) % ports.length] ?? 0),
    );
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  return {
    // Safe because it listens on a port.
    port: (listener.address() as AddressInfo).port,
    leadTo: (servers) => void (ports = servers),
    cut(port) {
      const cut = to(port);
      for (const [client] of cut) client.destroy();
      return cut.length;
    },
    unanswered: (port) => to(port).filter(([, { isUnanswered }]) => isUnanswered).length,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => listener.close(resolve));
      for (const client of lines.keys()) client.destroy();
      await closed;
    },
  };
}

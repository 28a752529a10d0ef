import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A load balancer before the api nodes: each connection goes to the next node that takes it. */
export type Balancer = AsyncDisposable & {
  url: string;
  /** Whom it hands connections to. They may be named after it was started. */
  serve(nodes: readonly { baseUrl: string }[]): void;
  /** How many connections have sent something to this node that it has not answered. */
  unanswered(node: { baseUrl: string }): number;
};

interface Line {
  port: number;
  isUnanswered: boolean;
}

export async function startBalancer(): Promise<Balancer> {
  let ports: number[] = [];
  let count = 0;
  const lines = new Map<Socket, Line>();

  function handOn(client: Socket, [port, ...others]: number[]): void {
    if (port === undefined) return void client.destroy();
    const line: Line = { port, isUnanswered: false };
    const node = connect(port, "127.0.0.1");
    const ended = () => client.destroy();
    const refused = () => handOn(client, others);
    node.once("error", refused);
    node.once("connect", () => {
      node.off("error", refused).on("error", ended).on("close", ended);
      if (client.destroyed) return void node.destroy();
      lines.set(client, line);
      client.on("close", () => {
        lines.delete(client);
        node.destroy();
      });
      client.on("data", () => (line.isUnanswered = true));
      node.on("data", () => (line.isUnanswered = false));
      client.pipe(node);
      node.pipe(client);
    });
  }

  const server = createServer((client) => {
    client.on("error", () => undefined);
    count += 1;
    handOn(
      client,
      ports.map((_, index) => ports[(count + index) % ports.length] ?? 0),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const portOf = ({ baseUrl }: { baseUrl: string }) => Number(new URL(baseUrl).port);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve: (nodes) => void (ports = nodes.map(portOf)),
    unanswered: (node) =>
      [...lines.values()].filter(({ port, isUnanswered }) => port === portOf(node) && isUnanswered).length,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const client of lines.keys()) client.destroy();
      await closed;
    },
  };
}

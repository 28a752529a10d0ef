import { openTcpSwitch } from "./tcp-switch.ts";

/** A load balancer before the api nodes: each connection goes to the next node that takes it. */
export type Balancer = AsyncDisposable & {
  url: string;
  /** Whom it hands connections to. They may be named after it was started. */
  serve(nodes: readonly { baseUrl: string }[]): void;
  /** How many connections have sent something to this node that it has not answered. */
  unanswered(node: { baseUrl: string }): number;
};

export async function startBalancer(): Promise<Balancer> {
  const nodes = await openTcpSwitch();
  const portOf = ({ baseUrl }: { baseUrl: string }) => Number(new URL(baseUrl).port);
  return {
    url: `http://127.0.0.1:${nodes.port}`,
    serve: (served) => nodes.leadTo(served.map(portOf)),
    unanswered: (node) => nodes.unanswered(portOf(node)),
    [Symbol.asyncDispose]: () => nodes[Symbol.asyncDispose](),
  };
}

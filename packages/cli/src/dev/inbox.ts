import { createServer, type Server } from "node:http";
import { nodeReceiver } from "@signalbox/sdk/node";
import { createReceiver, type Receiver } from "@signalbox/sdk/receiver";
import type { SeededAgent } from "./settings.ts";

/** The developer's side of the seeded agents, until there is a receiver of the developer's own: it shows what arrives. */
export async function openInbox(
  port: number,
  agents: () => Readonly<Record<string, SeededAgent>>,
  show: (agentName: string, text: string) => void,
): Promise<Server> {
  const receivers = new Map<string, Receiver>();
  const receiverOf = (language: string): Receiver | undefined => {
    const agent = agents()[language];
    if (agent === undefined) return undefined;
    const known = receivers.get(agent.signingSecret);
    if (known !== undefined) return known;
    const receiver = createReceiver({
      signingSecrets: [agent.signingSecret],
      onMessage: ({ output }) => {
        for (const { content } of output) if (content.text) show(agent.name, content.text);
      },
    });
    receivers.set(agent.signingSecret, receiver);
    return receiver;
  };
  const server = createServer((request, response) => {
    const receiver = receiverOf(request.url?.split("/")[1] ?? "");
    if (receiver === undefined) response.writeHead(404).end();
    else nodeReceiver(receiver)(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return server;
}

import type { IncomingMessage, ServerResponse } from "node:http";
import { nodeReceiver } from "@signalbox/sdk/node";
import { createReceiver } from "@signalbox/sdk/receiver";
import type { SeededAgent } from "./settings.ts";

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/** The developer's side of the seeded agents, until there is a receiver of the developer's own: it shows what arrives. By language. */
export function createReceivers(
  agents: Readonly<Record<string, SeededAgent>>,
  show: (agentName: string, text: string) => void,
): ReadonlyMap<string, Handle> {
  return new Map(
    Object.entries(agents).map(([language, { name, signingSecret }]) => {
      const receiver = createReceiver({
        signingSecrets: [signingSecret],
        onMessage: ({ output }) => {
          for (const { content } of output) if (content.text) show(name, content.text);
        },
      });
      return [language, nodeReceiver(receiver)];
    }),
  );
}

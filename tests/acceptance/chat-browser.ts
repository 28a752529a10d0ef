import { createClient, type Client } from "@signalbox/sdk";
import type { MadeAgent } from "../support/agents.ts";
import type { Bed } from "../support/bed.ts";

export type Visitor = { chatToken: string; client: Client; baseUrl: string; anonymousId: string };

export type BrowserArguments = [
  agent: Pick<MadeAgent, "client">,
  user?: { user_id?: string; anonymous_id?: string },
  node?: number,
];

/** A browser of one user, at one node. */
export async function openBrowser(
  bed: Bed,
  ...[agent, user = {}, node = 0]: BrowserArguments
): Promise<Visitor> {
  const { token, anonymous_id } = await agent.client.chatTokens.mint(user);
  const { baseUrl } = bed.api(node);
  const client = createClient({ baseUrl, chatToken: token, retries: 0 });
  return { chatToken: token, client, baseUrl, anonymousId: anonymous_id ?? "" };
}

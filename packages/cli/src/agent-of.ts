import { type Client, MissingCredentialError, SignalboxError } from "@signalbox/sdk";
import { type Option, UsageError } from "./command.ts";

export const AGENT_OPTION: Option = {
  name: "agent",
  value: "ID",
  summary: "Agent id; by default the agent of the API key, or the only one there is",
};

/** The agent named, or that of the API key, or the only one there is. */
export async function agentOf(client: Client, named: string | undefined): Promise<string> {
  const chosen = named ?? (await agentOfKey(client));
  if (chosen !== undefined) return chosen;
  let only: string | undefined;
  let cursor: string | undefined;
  do {
    const page = await client.agents.list({ limit: 100, ...(cursor !== undefined && { cursor }) });
    for (const { agent_id, delete_time } of page.list) {
      if (delete_time !== null) continue;
      if (only !== undefined)
        throw new UsageError(
          "There is more than one agent. Choose one with --agent or SIGNALBOX_API_KEY; list them with signalbox agents",
        );
      only = agent_id;
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  if (only === undefined)
    throw new UsageError("No agents yet. Create one with signalbox agents create --name NAME");
  return only;
}

/** Undefined without a key, and with one that the service does not know: an operator's command may go on without. */
async function agentOfKey(client: Client): Promise<string | undefined> {
  try {
    return (await client.keys.verify()).entity_id;
  } catch (error) {
    const isRefused = error instanceof SignalboxError && [401, 403].includes(error.status);
    if (error instanceof MissingCredentialError || isRefused) return undefined;
    throw error;
  }
}

import type { Client } from "@signalbox/sdk";
import { type Option, UsageError } from "./command.ts";

export const AGENT_OPTION: Option = {
  name: "agent",
  value: "ID",
  summary: "Agent id; optional if there is only one agent",
};

/** The agent named, or the only one there is. */
export async function agentOf(client: Client, named: string | undefined): Promise<string> {
  if (named !== undefined) return named;
  let only: string | undefined;
  let cursor: string | undefined;
  do {
    const page = await client.listAgents({ limit: 100, ...(cursor !== undefined && { cursor }) });
    for (const { agent_id, delete_time } of page.list) {
      if (delete_time !== null) continue;
      if (only !== undefined)
        throw new UsageError(
          "There is more than one agent. Choose one with --agent; list them with signalbox agents",
        );
      only = agent_id;
    }
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  if (only === undefined)
    throw new UsageError("No agents yet. Create one with signalbox agents create --name NAME");
  return only;
}

import type { Agent } from "@signalbox/contract";
import { useMemo } from "react";
import { usePages } from "./calls.ts";

/** All agents that are there; one installation has few. */
export function useAgents() {
  const query = usePages("listAgents", { limit: 100 });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  const agents = useMemo(() => query.entries.filter((agent) => agent.delete_time === null), [query.entries]);
  const byId = useMemo(() => new Map(query.entries.map((agent) => [agent.agent_id, agent])), [query.entries]);
  return { ...query, agents, byId };
}

/** The agent a screen is about: the one in the address, or the first there is. */
export function chooseAgent(agents: readonly Agent[], agentId: string | undefined): Agent | undefined {
  return agents.find((agent) => agent.agent_id === agentId) ?? agents[0];
}

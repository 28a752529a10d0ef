import { useMemo } from "react";
import { usePages } from "./calls.ts";

/** The id of an agent, or of anything that is an agent's. */
export const IDENTIFIER = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** All agents that are there; one installation has few. */
export function useAgents() {
  const query = usePages("listAgents", { limit: 100 });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  const agents = useMemo(() => query.entries.filter((agent) => agent.delete_time === null), [query.entries]);
  const byId = useMemo(() => new Map(query.entries.map((agent) => [agent.agent_id, agent])), [query.entries]);
  /** No further one can turn up. */
  const areAll = query.isSuccess && !hasNextPage;
  return { ...query, agents, byId, areAll };
}

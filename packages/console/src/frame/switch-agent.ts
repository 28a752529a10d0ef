import { useMatchRoute, useNavigate } from "@tanstack/react-router";
import { IDENTIFIER } from "../service/index.ts";

/**
 * Shows the screens for another agent, or for all. What an address names by its id, such as a chat or a webhook, belongs to
 * the agent before: it stays behind.
 */
export function useSwitchAgent(): (agent: string | undefined) => void {
  const navigate = useNavigate();
  const isAt = useMatchRoute();
  return (agent) => {
    if (isAt({ to: "/deliveries/$deliveryId" }) !== false)
      void navigate({ to: "/deliveries", search: { agent } });
    else if (isAt({ to: "/conversations/$agentId/$conversationId" }) !== false)
      void navigate({ to: "/conversations", search: { agent } });
    else void navigate({ to: ".", search: (before) => ({ ...withoutIds(before), agent }) });
  };
}

function withoutIds<Search extends object>(search: Search): Search {
  const kept = Object.entries(search).filter(
    ([, value]) => typeof value !== "string" || !IDENTIFIER.test(value),
  );
  return Object.fromEntries(kept) as Search;
}

import { useMatchRoute, useNavigate, useSearch } from "@tanstack/react-router";
import { UserRoundX } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { EmptyState, Problem, SkeletonLines } from "../design/index.ts";
import { useAccess, useAccount, useAgents } from "../service/index.ts";
import { useWords } from "../words/index.ts";
import { usePageEntries } from "./pages.ts";

/**
 * Waits until it is known what an account may do. An account with roles for certain agents is always at one of these, and
 * one that may not open the start page is at the first page it may. An agent that does not exist counts as none.
 */
export function AccessGate({ children }: { children: ReactNode }) {
  const words = useWords();
  const navigate = useNavigate();
  const isAt = useMatchRoute();
  const { agent } = useSearch({ from: "__root__" });
  const { isAccount, data, error, refetch } = useAccount();
  const { isForAgentsOnly } = useAccess();
  const { agents, byId, areAll, isFetching, isPending } = useAgents();
  const [home] = usePageEntries();

  const needsAgent = isForAgentsOnly && !agents.some(({ agent_id }) => agent_id === agent);
  const wantedAgent = needsAgent ? agents[0]?.agent_id : undefined;
  const isHome = data !== undefined && !needsAgent && isAt({ to: "/" }) !== false;
  const wantedPage = isHome ? (home?.to ?? "/account") : "/";
  const isUnknown = agent !== undefined && areAll && !isFetching && !byId.has(agent);
  useEffect(() => {
    if (wantedAgent !== undefined || isUnknown)
      void navigate({ to: ".", search: (search) => ({ ...search, agent: wantedAgent }), replace: true });
    else if (wantedPage !== "/") void navigate({ to: wantedPage, replace: true });
  }, [navigate, wantedAgent, isUnknown, wantedPage]);

  if (!isAccount || isAt({ to: "/account" }) !== false) return children;
  if (data === undefined)
    return error === null ? (
      <SkeletonLines className="p-6" lines={8} />
    ) : (
      <Problem error={error} onRetry={() => void refetch()} />
    );
  if (wantedAgent !== undefined || (needsAgent && data.roles.length > 0 && isPending) || wantedPage !== "/")
    return <SkeletonLines className="p-6" lines={8} />;
  if (!needsAgent) return children;
  return (
    <EmptyState icon={UserRoundX} title={words.frame.noRole}>
      {words.frame.noRoleLead}
    </EmptyState>
  );
}

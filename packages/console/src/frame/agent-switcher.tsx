import { useSearch } from "@tanstack/react-router";
import { ChevronsUpDown, Layers } from "lucide-react";
import { AgentBadge, Menu } from "../design/index.ts";
import { useAccess, useAgents } from "../service/index.ts";
import { useWords } from "../words/index.ts";
import { useSwitchAgent } from "./switch-agent.ts";

/** Which agent the screens are about: kept in the address, so that a link shows the same. */
export function AgentSwitcher() {
  const words = useWords();
  const choose = useSwitchAgent();
  const { agent: agentId } = useSearch({ from: "__root__" });
  const { agents, byId } = useAgents();
  const { isForAgentsOnly } = useAccess();
  const chosen = agentId === undefined ? undefined : byId.get(agentId);
  const all = {
    id: "all",
    label: words.frame.allAgents,
    icon: <Layers className="size-4 text-ink-faint" aria-hidden />,
    checked: chosen === undefined,
    run: () => choose(undefined),
  };
  const name = chosen?.name ?? words.frame.allAgents;
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className="flex h-9 w-full min-w-0 items-center gap-2 rounded-md border border-line bg-panel px-2 text-left text-sm font-medium text-ink shadow-raised hover:bg-hover data-popup-open:bg-hover"
        >
          {chosen === undefined ? (
            <Layers className="size-4 shrink-0 text-ink-faint" aria-hidden />
          ) : (
            <AgentBadge name={chosen.name} />
          )}
          <span className="sr-only">{words.frame.switchAgent}:</span>
          <span className="min-w-0 flex-1 truncate">{name}</span>
          <ChevronsUpDown className="size-3.5 shrink-0 text-ink-faint" aria-hidden />
        </button>
      }
      groups={[
        { items: isForAgentsOnly ? [] : [all] },
        {
          items: agents.map((agent) => ({
            id: agent.agent_id,
            label: agent.name,
            icon: <AgentBadge name={agent.name} />,
            checked: agent.agent_id === agentId,
            run: () => choose(agent.agent_id),
          })),
        },
      ].filter(({ items }) => items.length > 0)}
    />
  );
}

import { useNavigate, useSearch } from "@tanstack/react-router";
import { ChevronsUpDown, Layers } from "lucide-react";
import { Menu } from "../design/index.ts";
import { useAccess, useAgents } from "../service/index.ts";
import { useWords } from "../words/index.ts";

/** A letter on a colour of its own, so that agents are told apart at a glance. */
export function AgentBadge({ name }: { name: string }) {
  return (
    <span
      aria-hidden
      className="flex size-5 shrink-0 items-center justify-center rounded-sm bg-accent-soft text-2xs font-semibold text-accent"
    >
      {[...name.trim()][0]?.toUpperCase() ?? "?"}
    </span>
  );
}

/** Which agent the screens are about: kept in the address, so that a link shows the same. */
export function AgentSwitcher() {
  const words = useWords();
  const navigate = useNavigate();
  const { agent: agentId } = useSearch({ from: "__root__" });
  const { agents, byId } = useAgents();
  const { isForAgentsOnly } = useAccess();
  const chosen = agentId === undefined ? undefined : byId.get(agentId);
  const choose = (agent: string | undefined) =>
    void navigate({ to: ".", search: (search) => ({ ...search, agent }) });
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

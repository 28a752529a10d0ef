import type { Agent } from "@signalbox/contract";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Bot } from "lucide-react";
import { Fragment, type ReactNode, useEffect } from "react";
import {
  AgentBadge,
  buttonClass,
  EmptyState,
  Page,
  type PageProps,
  Problem,
  SkeletonPanel,
} from "../design/index.ts";
import { useAgents } from "../service/index.ts";
import { useScreenWords } from "../words/index.ts";

/** The agent that the switcher names. Where there is only one, it is chosen, and then named. */
export function useOneAgent() {
  const navigate = useNavigate();
  const { agent: asked } = useSearch({ from: "__root__" });
  const list = useAgents();
  const agent = list.agents.find(({ agent_id }) => agent_id === asked);
  const isOnly = list.areAll && list.agents.length === 1;
  const only = isOnly && agent === undefined ? list.agents[0]?.agent_id : undefined;
  useEffect(() => {
    if (only !== undefined)
      void navigate({ to: ".", search: (search) => ({ ...search, agent: only }), replace: true });
  }, [navigate, only]);
  return { ...list, agent, isPending: agent === undefined && (!list.areAll || only !== undefined) };
}

/** In the place of a screen whose agent is not chosen yet: asks which. */
export function WhichAgent({ list }: { list: ReturnType<typeof useOneAgent> }) {
  const words = useScreenWords();
  const text = words.agent.which;
  if (list.isError) return <Problem error={list.error} onRetry={() => void list.refetch()} />;
  if (list.isPending) return <SkeletonPanel lines={8} />;
  if (list.agents.length === 0)
    return (
      <EmptyState
        icon={Bot}
        title={text.none}
        actions={
          <Link to="/" className={buttonClass({})}>
            {words.problems.goToStart}
          </Link>
        }
      >
        {text.noneLead}
      </EmptyState>
    );
  return (
    <section className="mx-auto w-full max-w-lg py-6" aria-labelledby="which-agent">
      <h2 id="which-agent" className="text-base font-semibold text-ink">
        {text.title}
      </h2>
      <p className="mt-1 mb-4 text-sm text-ink-soft">{text.lead}</p>
      <ul className="overflow-hidden rounded-lg border border-line bg-panel shadow-raised">
        {list.agents.map(({ agent_id, name, language }) => (
          <li key={agent_id} className="border-t border-line first:border-t-0">
            <Link
              to="."
              search={(before) => ({ ...before, agent: agent_id })}
              className="flex min-h-11 items-center gap-2.5 px-4 py-2 text-sm font-medium text-ink -outline-offset-2! hover:bg-hover"
            >
              <AgentBadge name={name} />
              <span className="min-w-0 flex-1 truncate">{name}</span>
              <span className="text-xs font-normal text-ink-faint">{words.start.languages[language]}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

export interface OneAgentProps extends Omit<PageProps, "children" | "beside" | "above"> {
  /** The screen, anew for each agent. */
  children: (agent: Agent) => ReactNode;
}

/** For a screen that is about one agent: hands it the agent that the switcher names, or asks for one. */
export function OneAgent({ children, layout = "wide", ...head }: OneAgentProps) {
  const list = useOneAgent();
  if (list.agent !== undefined) return <Fragment key={list.agent.agent_id}>{children(list.agent)}</Fragment>;
  return (
    <Page {...head} layout={layout === "full" ? "wide" : layout}>
      <WhichAgent list={list} />
    </Page>
  );
}

import type { FailingModel } from "@signalbox/contract";
import { Link } from "@tanstack/react-router";
import { CircleX } from "lucide-react";
import { Badge, Panel, Time } from "../../design/index.ts";
import { ModelFailureText } from "../agent/model-state.tsx";
import { useModelWords } from "../agent/model-words.ts";

export function FailingModels({ models }: { models: readonly FailingModel[] }) {
  const text = useModelWords();
  return (
    <Panel flush title={text.failing} lead={text.failingLead}>
      <ul>
        {models.map(({ agent_id, agent_name, kind, model, failure }) => (
          <li key={`${agent_id} ${kind}`} className="border-t border-line px-4 py-3 first:border-t-0">
            <p className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
              <Badge tone="bad" icon={CircleX}>
                {text.kinds[kind]}
              </Badge>
              <Link
                to="/agent"
                search={{ agent: agent_id }}
                className="font-medium text-ink wrap-anywhere hover:underline"
              >
                {agent_name}
              </Link>
              <span className="font-mono text-xs wrap-anywhere text-ink-faint">{model}</span>
              <Time at={failure.time} className="text-xs text-ink-faint" />
            </p>
            <ModelFailureText failure={failure} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

import type { Agent } from "@signalbox/contract";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Bot } from "lucide-react";
import { useState } from "react";
import {
  Button,
  ConfirmDialog,
  CopyableId,
  EmptyState,
  Facts,
  Page,
  Panel,
  Problem,
  showToast,
  SkeletonPanel,
  Tabs,
} from "../../design/index.ts";
import { chooseAgent, useAccess, useAction, useAgents } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { GeneralForm } from "./general-form.tsx";
import { HandoffForm } from "./handoff-form.tsx";
import { ModelPanel } from "./model-panel.tsx";
import { RetentionForm } from "./retention-form.tsx";

type Section = "general" | "model" | "handoff" | "data";

export function AgentScreen() {
  const words = useScreenWords();
  const text = words.agent;
  const { agent: asked } = useSearch({ from: "__root__" });
  const list = useAgents();
  const agent = chooseAgent(list.agents, asked);
  const [section, setSection] = useState<Section>("general");
  return (
    <Page layout="reading" title={agent?.name ?? text.title} lead={text.lead}>
      {list.isError ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : list.isPending ? (
        <SkeletonPanel lines={8} />
      ) : agent === undefined ? (
        <EmptyState icon={Bot} title={words.endpoints.needsAgent}>
          {words.endpoints.needsAgentLead}
        </EmptyState>
      ) : (
        <Tabs
          key={agent.agent_id}
          label={text.title}
          value={section}
          onChange={setSection}
          tabs={[
            { value: "general", label: text.sections.general, content: <GeneralForm agent={agent} /> },
            {
              value: "model",
              label: text.sections.model,
              content: (
                <div className="flex flex-col gap-4">
                  <ModelPanel agentId={agent.agent_id} kind="chat" />
                  <ModelPanel agentId={agent.agent_id} kind="embedding" />
                </div>
              ),
            },
            {
              value: "handoff",
              label: text.sections.handoff,
              content: <HandoffForm agentId={agent.agent_id} />,
            },
            { value: "data", label: text.sections.data, content: <DataSection agent={agent} /> },
          ]}
        />
      )}
    </Page>
  );
}

function DataSection({ agent }: { agent: Agent }) {
  const words = useScreenWords();
  const text = words.agent;
  const navigate = useNavigate();
  const { may } = useAccess();
  const [asks, setAsks] = useState(false);
  const remove = useAction("deleteAgent", {
    changes: ["listAgents"],
    onDone: () => {
      showToast({ title: text.deleted });
      void navigate({ to: "/", search: { agent: undefined } });
    },
  });
  return (
    <div className="flex flex-col gap-4">
      <Panel title={text.identity}>
        <Facts
          facts={[
            { label: text.id, value: <CopyableId id={agent.agent_id} label={text.id} /> },
            {
              label: text.knowledgeBase,
              value: <CopyableId id={agent.default_knowledge_base_id} label={text.knowledgeBase} />,
            },
          ]}
        />
      </Panel>
      <RetentionForm agentId={agent.agent_id} />
      {may("deleteAgent", agent.agent_id) && (
        <Panel title={text.danger} lead={text.dangerLead}>
          <Button tone="danger" onClick={() => setAsks(true)}>
            {text.deleteAgent}
          </Button>
        </Panel>
      )}
      <ConfirmDialog
        open={asks}
        onOpenChange={setAsks}
        title={text.deleteTitle(agent.name)}
        description={text.dangerLead}
        confirm={text.deleteAgent}
        onConfirm={() => remove.mutateAsync({ agent_id: agent.agent_id })}
      />
    </div>
  );
}

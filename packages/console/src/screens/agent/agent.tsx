import type { Agent, RouteName } from "@signalbox/contract";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import {
  Button,
  ConfirmDialog,
  CopyableId,
  Facts,
  Page,
  Panel,
  showToast,
  Tabs,
} from "../../design/index.ts";
import { useAccess, useAction } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { OneAgent } from "../one-agent.tsx";
import { GeneralForm } from "./general-form.tsx";
import { HandoffForm } from "./handoff-form.tsx";
import { ModelPanel } from "./model-panel.tsx";
import { RetentionForm } from "./retention-form.tsx";

type Section = "general" | "model" | "handoff" | "data";

export function AgentScreen() {
  const text = useScreenWords().agent;
  return (
    <OneAgent layout="reading" title={text.title} lead={text.lead}>
      {(agent) => <Settings agent={agent} />}
    </OneAgent>
  );
}

function Settings({ agent }: { agent: Agent }) {
  const text = useScreenWords().agent;
  const { may } = useAccess();
  const [section, setSection] = useState<Section>("general");
  const sections: { value: Section; label: string; needs: RouteName; content: ReactNode }[] = [
    {
      value: "general",
      label: text.sections.general,
      needs: "updateAgent",
      content: <GeneralForm agent={agent} />,
    },
    {
      value: "model",
      label: text.sections.model,
      needs: "setChatModel",
      content: (
        <div className="flex flex-col gap-4">
          <ModelPanel agentId={agent.agent_id} kind="chat" />
          <ModelPanel agentId={agent.agent_id} kind="chat_fallback" />
          <ModelPanel agentId={agent.agent_id} kind="embedding" />
        </div>
      ),
    },
    {
      value: "handoff",
      label: text.sections.handoff,
      needs: "setHandoffSettings",
      content: <HandoffForm agentId={agent.agent_id} />,
    },
    {
      value: "data",
      label: text.sections.data,
      needs: "setRetention",
      content: <DataSection agent={agent} />,
    },
  ];
  return (
    <Page layout="reading" title={agent.name} lead={text.lead}>
      <Tabs
        label={text.title}
        value={section}
        onChange={setSection}
        tabs={sections.filter(({ needs }) => may(needs, agent.agent_id))}
      />
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

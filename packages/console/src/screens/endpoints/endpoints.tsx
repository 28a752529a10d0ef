import type { Agent, HumanService } from "@signalbox/contract";
import { isFailure } from "@signalbox/sdk";
import { Link } from "@tanstack/react-router";
import { Cable, Headset, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import {
  Button,
  buttonClass,
  ConfirmDialog,
  EmptyState,
  IconButton,
  Page,
  Panel,
  Problem,
  showToast,
  SkeletonLines,
} from "../../design/index.ts";
import { useAction, useCall, usePages } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { useDestinations } from "../deliveries/delivery-words.tsx";
import { OneAgent } from "../one-agent.tsx";
import { DeskForm } from "./desk-form.tsx";
import { EndpointCard } from "./endpoint-card.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { WebhookForm } from "./webhook-form.tsx";

export function Endpoints() {
  const text = useScreenWords().endpoints;
  return (
    <OneAgent title={text.title} lead={text.lead}>
      {(agent) => <EndpointsOf agent={agent} />}
    </OneAgent>
  );
}

function EndpointsOf({ agent: { agent_id: agentId, name } }: { agent: Agent }) {
  const text = useScreenWords().endpoints;
  return (
    <Page title={text.title} beside={<span className="text-sm text-ink-faint">{name}</span>} lead={text.lead}>
      <div className="flex flex-col gap-4">
        <MessageWebhookPanel agentId={agentId} />
        <DesksPanel agentId={agentId} />
      </div>
    </Page>
  );
}

type Asks = "edit" | "rotate" | "delete" | undefined;

function MessageWebhookPanel({ agentId }: { agentId: string }) {
  const words = useScreenWords();
  const text = words.endpoints;
  const [asks, setAsks] = useState<Asks>();
  const webhook = useCall("getMessageWebhook", { agent_id: agentId });
  const destinations = useDestinations(agentId);
  const rotate = useAction("rotateMessageWebhookSecret");
  const remove = useAction("deleteMessageWebhook", {
    changes: ["getMessageWebhook", "listDestinations"],
    onDone: () => showToast({ title: text.removed }),
  });
  const isMissing = isFailure(webhook.error, "notFound");
  const data = isMissing ? undefined : webhook.data;
  const close = () => setAsks(undefined);
  return (
    <Panel flush title={text.message} lead={text.messageLead}>
      {webhook.isError && !isMissing ? (
        <Problem error={webhook.error} onRetry={() => void webhook.refetch()} />
      ) : webhook.isPending ? (
        <SkeletonLines className="p-4" />
      ) : data === undefined ? (
        <EmptyState
          icon={Cable}
          title={text.noWebhook}
          actions={
            <Button tone="primary" onClick={() => setAsks("edit")}>
              {text.setWebhook}
            </Button>
          }
        >
          {text.noWebhookLead}
        </EmptyState>
      ) : (
        <EndpointCard
          agentId={agentId}
          name={text.message}
          url={data.url}
          credentials={data}
          webhookId={data.webhook_id}
          destination={destinations.byId.get(data.webhook_id)}
          facts={[
            { label: text.strict, value: data.strict_acknowledgement ? words.common.on : words.common.off },
            { label: text.mirror, value: data.mirror_live_channel ? words.common.on : words.common.off },
            data.cloud_events && { label: text.cloudEvents, value: words.common.on },
            data.public_key !== null && {
              label: text.publicKey,
              value: <code className="font-mono text-xs break-all">{data.public_key}</code>,
            },
          ]}
          actions={
            <>
              <Button size="sm" onClick={() => setAsks("rotate")}>
                {text.rotate}
              </Button>
              <Button size="sm" onClick={() => setAsks("edit")}>
                {text.edit}
              </Button>
              <IconButton size="sm" label={text.deleteWebhook} onClick={() => setAsks("delete")}>
                <Trash2 className="size-3.5" aria-hidden />
              </IconButton>
            </>
          }
        />
      )}
      {asks === "edit" && <WebhookForm open onOpenChange={close} agentId={agentId} webhook={data} />}
      <RotateDialog
        open={asks === "rotate"}
        onOpenChange={close}
        onRotate={(overlap_seconds) => rotate.mutateAsync({ agent_id: agentId, overlap_seconds })}
      />
      <ConfirmDialog
        open={asks === "delete"}
        onOpenChange={close}
        title={text.deleteWebhookTitle}
        description={text.deleteWebhookLead}
        confirm={text.deleteWebhook}
        onConfirm={() => remove.mutateAsync({ agent_id: agentId })}
      />
    </Panel>
  );
}

function DesksPanel({ agentId }: { agentId: string }) {
  const words = useScreenWords();
  const text = words.endpoints;
  const desks = usePages("listHumanServices", { agent_id: agentId });
  const [adds, setAdds] = useState(false);
  return (
    <Panel
      flush
      title={text.desks}
      lead={text.desksLead}
      actions={
        <Button size="sm" icon={<Plus className="size-3.5" aria-hidden />} onClick={() => setAdds(true)}>
          {text.addDesk}
        </Button>
      }
    >
      {desks.isError ? (
        <Problem error={desks.error} onRetry={() => void desks.refetch()} />
      ) : desks.isPending ? (
        <SkeletonLines className="p-4" />
      ) : desks.entries.length === 0 ? (
        <EmptyState icon={Headset} title={text.noDesk}>
          {text.noDeskLead}
        </EmptyState>
      ) : (
        desks.entries.map((desk) => <DeskCard key={desk.component_id} agentId={agentId} desk={desk} />)
      )}
      {adds && <DeskForm open onOpenChange={setAdds} agentId={agentId} desk={undefined} />}
    </Panel>
  );
}

function DeskCard({ agentId, desk }: { agentId: string; desk: HumanService }) {
  const words = useScreenWords();
  const text = words.endpoints;
  const [asks, setAsks] = useState<Asks>();
  const destinations = useDestinations(agentId);
  const rotate = useAction("rotateHumanServiceSecret");
  const remove = useAction("deleteHumanService", {
    changes: ["listHumanServices", "listDestinations"],
    onDone: () => showToast({ title: text.removed }),
  });
  const close = () => setAsks(undefined);
  const hours = desk.business_hours;
  return (
    <>
      <EndpointCard
        agentId={agentId}
        name={desk.name}
        url={desk.url}
        credentials={desk}
        webhookId={desk.component_id}
        destination={destinations.byId.get(desk.component_id)}
        facts={[
          {
            label: text.hours,
            value:
              hours === null ? (
                text.hoursAlways
              ) : (
                <span className="flex flex-col">
                  {hours.open.map((span, index) => (
                    <span key={index}>
                      {span.days.map((day) => text.days[day]).join(", ")}{" "}
                      <span className="tabular">{`${span.from}–${span.to}`}</span>
                    </span>
                  ))}
                  <span className="text-xs text-ink-faint">{hours.time_zone}</span>
                </span>
              ),
          },
        ]}
        actions={
          <>
            <Button size="sm" onClick={() => setAsks("rotate")}>
              {text.rotate}
            </Button>
            {desk.kind === "inbox" ? (
              <Link
                to="/inbox"
                search={{ agent: agentId, settings: true }}
                className={buttonClass({ size: "sm" })}
              >
                {text.edit}
              </Link>
            ) : (
              <Button size="sm" onClick={() => setAsks("edit")}>
                {text.edit}
              </Button>
            )}
            <IconButton size="sm" label={text.deleteDesk} onClick={() => setAsks("delete")}>
              <Trash2 className="size-3.5" aria-hidden />
            </IconButton>
          </>
        }
      />
      {asks === "edit" && <DeskForm open onOpenChange={close} agentId={agentId} desk={desk} />}
      <RotateDialog
        open={asks === "rotate"}
        onOpenChange={close}
        onRotate={(overlap_seconds) =>
          rotate.mutateAsync({ agent_id: agentId, component_id: desk.component_id, overlap_seconds })
        }
      />
      <ConfirmDialog
        open={asks === "delete"}
        onOpenChange={close}
        title={text.deleteDeskTitle(desk.name)}
        description={text.deleteDeskLead}
        confirm={text.deleteDesk}
        onConfirm={() => remove.mutateAsync({ agent_id: agentId, component_id: desk.component_id })}
      />
    </>
  );
}

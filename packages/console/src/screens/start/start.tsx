import { Link } from "@tanstack/react-router";
import { Circle, CircleCheckBig } from "lucide-react";
import { type ReactNode, useState } from "react";
import {
  Button,
  buttonClass,
  classNames,
  CopyLine,
  Page,
  Panel,
  Problem,
  ROW_LINK,
  SkeletonPanel,
  Time,
} from "../../design/index.ts";
import { devPages, useAccess, useCall, usePollMs } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { DeliveryStateBadge } from "../deliveries/delivery-words.tsx";
import { useOneAgent, WhichAgent } from "../one-agent.tsx";
import { NewAgent } from "./new-agent.tsx";

const POLL_MS = 3_000;
const LIVE_LINES = 8;

interface Step {
  id: "agent" | "key" | "webhook" | "delivery" | "desk" | "handoff";
  isDone: boolean;
  action: ReactNode;
}

export function Start() {
  const words = useScreenWords();
  const text = words.start;
  const list = useOneAgent();
  const agentId = list.agent?.agent_id;
  const isFirst = list.areAll && list.agents.length === 0;
  const { may } = useAccess();
  const [asks, setAsks] = useState(false);
  return (
    <Page
      title={text.title}
      lead={list.agent === undefined ? text.leadNone : text.leadAgent(list.agent.name)}
      actions={may("createAgent") && <Button onClick={() => setAsks(true)}>{words.frame.newAgent}</Button>}
    >
      {agentId === undefined && !isFirst ? (
        <WhichAgent list={list} />
      ) : (
        <div key={agentId} className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
          <Checklist agentId={agentId} onNewAgent={() => setAsks(true)} />
          <div className="flex min-w-0 flex-col gap-4">
            {agentId !== undefined && <TryIt agentId={agentId} />}
            <LiveLines agentId={agentId} />
            <Panel title={text.listenTitle} lead={text.listenLead}>
              <CopyLine text="signalbox listen --forward-to http://localhost:3000/hooks" />
            </Panel>
            <Panel title={text.addresses}>
              <dl className="flex flex-col gap-3">
                {[
                  [text.apiBase, location.origin],
                  [text.healthProbe, "/v1/webhook/service/health"],
                ].map(([label = "", address = ""]) => (
                  <div key={label}>
                    <dt className="mb-1 text-xs text-ink-faint">{label}</dt>
                    <dd>
                      <CopyLine text={address} />
                    </dd>
                  </div>
                ))}
              </dl>
            </Panel>
          </div>
        </div>
      )}
      <NewAgent open={asks} onOpenChange={setAsks} />
    </Page>
  );
}

function useSteps(
  agentId: string | undefined,
  onNewAgent: () => void,
): { steps: Step[]; isPending: boolean } {
  const { steps } = useScreenWords().start;
  const enabled = agentId !== undefined;
  const agent_id = agentId ?? "";
  const options = { enabled, refetchMs: POLL_MS };
  const keys = useCall("listApiKeys", { agent_id, limit: 100 }, options);
  const destinations = useCall("listDestinations", { agent_id, limit: 100 }, options);
  const delivered = useCall("listDeliveries", { agent_id, state: "delivered", limit: 1 }, options);
  const handoffs = useCall("listHandoffs", { agent_id, limit: 1 }, options);
  const has = (kind: string) => destinations.data?.list.some((one) => one.kind === kind) ?? false;
  const link = (to: "/keys" | "/endpoints" | "/deliveries", label: string) => (
    <Link to={to} search={{ agent: agentId }} className={buttonClass({ size: "sm" })}>
      {label}
    </Link>
  );
  return {
    isPending: enabled && [keys, destinations, delivered, handoffs].some((query) => query.isPending),
    steps: [
      {
        id: "agent",
        isDone: enabled,
        action: (
          <Button size="sm" tone="primary" onClick={onNewAgent}>
            {steps.agent.action}
          </Button>
        ),
      },
      {
        id: "key",
        isDone: keys.data?.list.some(({ revoke_time }) => revoke_time === null) ?? false,
        action: link("/keys", steps.key.action),
      },
      { id: "webhook", isDone: has("message"), action: link("/endpoints", steps.webhook.action) },
      {
        id: "delivery",
        isDone: (delivered.data?.list.length ?? 0) > 0,
        action: link("/deliveries", steps.delivery.action),
      },
      { id: "desk", isDone: has("human_service"), action: link("/endpoints", steps.desk.action) },
      { id: "handoff", isDone: (handoffs.data?.list.length ?? 0) > 0, action: undefined },
    ],
  };
}

function Checklist({ agentId, onNewAgent }: { agentId: string | undefined; onNewAgent: () => void }) {
  const words = useScreenWords();
  const text = words.start;
  const { steps, isPending } = useSteps(agentId, onNewAgent);
  const done = steps.filter((step) => step.isDone).length;
  const next = steps.find((step) => !step.isDone);
  if (isPending) return <SkeletonPanel lines={8} />;
  return (
    <Panel
      flush
      title={done === steps.length ? text.allDone : text.progress(done, steps.length)}
      actions={
        <span className="h-1.5 w-32 overflow-hidden rounded-full bg-hover" aria-hidden>
          <span
            className="block h-full rounded-full bg-good transition-[width] duration-500"
            style={{ width: `${(done / steps.length) * 100}%` }}
          />
        </span>
      }
    >
      <ol>
        {steps.map((step) => {
          const { title, lead } = text.steps[step.id];
          const Icon = step.isDone ? CircleCheckBig : Circle;
          const isNext = step === next;
          return (
            <li
              key={step.id}
              className={classNames(
                "flex items-start gap-3 border-t border-line px-4 py-3.5 first:border-t-0",
                isNext && "bg-accent-soft/40",
              )}
            >
              <Icon
                className={classNames(
                  "mt-0.5 size-4.5 shrink-0",
                  step.isDone ? "text-good" : isNext ? "text-accent" : "text-ink-faint",
                )}
                aria-hidden
              />
              <div className="min-w-0 flex-1">
                <h3 className={classNames("text-sm font-medium", step.isDone ? "text-ink-soft" : "text-ink")}>
                  {title}
                  <span className="sr-only">
                    {step.isDone ? ` (${text.done})` : isNext ? ` (${text.next})` : ""}
                  </span>
                </h3>
                {!step.isDone && <p className="mt-0.5 max-w-lg text-xs text-ink-soft">{lead}</p>}
              </div>
              {!step.isDone && (agentId !== undefined || step.id === "agent") && step.action}
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}

/** For the agents that the chat page of `signalbox dev` talks to. */
function TryIt({ agentId }: { agentId: string }) {
  const text = useScreenWords().start;
  const pages = devPages(agentId);
  if (pages === undefined) return null;
  return (
    <Panel title={text.tryTitle} lead={text.tryLead}>
      <div className="flex flex-wrap gap-2">
        <a className={buttonClass({ tone: "primary" })} href={pages.chat} target="_blank" rel="noreferrer">
          {text.openChat}
        </a>
        <a className={buttonClass({})} href={pages.inbox} target="_blank" rel="noreferrer">
          {text.openInbox}
        </a>
      </div>
    </Panel>
  );
}

function LiveLines({ agentId }: { agentId: string | undefined }) {
  const words = useScreenWords();
  const text = words.start;
  const latest = useCall(
    "listDeliveries",
    { agent_id: agentId, limit: LIVE_LINES },
    { refetchMs: usePollMs() },
  );
  const list = latest.data?.list ?? [];
  return (
    <Panel title={text.liveTitle} lead={text.liveLead} flush>
      {latest.isError ? (
        <Problem error={latest.error} onRetry={() => void latest.refetch()} />
      ) : list.length === 0 ? (
        <p className="px-4 py-6 text-center text-sm text-ink-soft">
          {latest.isPending ? words.common.loading : text.liveEmpty}
        </p>
      ) : (
        <ul>
          {list.map((delivery) => (
            <li
              key={delivery.delivery_id}
              className="relative flex h-10 items-center gap-2 border-t border-line px-4 first:border-t-0 hover:bg-hover"
            >
              <Link
                to="/deliveries/$deliveryId"
                params={{ deliveryId: delivery.delivery_id }}
                className={classNames(ROW_LINK, "min-w-0 flex-1 truncate text-sm")}
              >
                {words.deliveries.events[delivery.event]}
              </Link>
              <DeliveryStateBadge delivery={delivery} />
              <Time at={delivery.create_time} className="w-14 text-right text-xs text-ink-faint" />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

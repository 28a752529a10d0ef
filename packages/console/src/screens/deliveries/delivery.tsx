import type { DeliveryDetail } from "@signalbox/contract";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { Clock, FlaskConical, RotateCw } from "lucide-react";
import { useState } from "react";
import {
  Button,
  CodeView,
  CopyableId,
  duration,
  EmptyState,
  Facts,
  Page,
  Panel,
  Problem,
  showProblem,
  showToast,
  SkeletonPanel,
  Time,
} from "../../design/index.ts";
import { useAccess, useAction, useAgents, useCall, usePollMs } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { BackToDeliveries } from "./back-link.tsx";
import { AttemptDetail, AttemptList } from "./attempt.tsx";
import { DeliveryStateBadge, destinationName, useDestinations } from "./delivery-words.tsx";
import { isTestable, SendTest } from "./send-test.tsx";

export function DeliveryScreen() {
  const words = useScreenWords();
  const text = words.deliveries;
  const { deliveryId } = useParams({ from: "/deliveries/$deliveryId" });
  const delivery = useCall("getDelivery", { delivery_id: deliveryId }, { refetchMs: usePollMs() });
  const navigate = useNavigate();
  const replay = useAction("replayDelivery", {
    changes: ["listDeliveries"],
    onDone: ({ delivery_id }) =>
      showToast({
        title: text.replayed,
        action: {
          label: text.openReplay,
          run: () => void navigate({ to: "/deliveries/$deliveryId", params: { deliveryId: delivery_id } }),
        },
      }),
  });
  const data = delivery.data;
  const { may } = useAccess();
  const [tests, setTests] = useState(false);
  return (
    <Page
      title={data === undefined ? text.deliveryId : text.events[data.event]}
      beside={data !== undefined && <DeliveryStateBadge delivery={data} />}
      above={<BackToDeliveries />}
      actions={
        <>
          {data !== undefined && isTestable(data) && may("sendTestEvent", data.agent_id) && (
            <Button icon={<FlaskConical className="size-3.5" aria-hidden />} onClick={() => setTests(true)}>
              {text.test.open}
            </Button>
          )}
          <Button
            tone="primary"
            disabled={data === undefined || data.state === "pending"}
            busy={replay.isPending}
            icon={<RotateCw className="size-3.5" aria-hidden />}
            onClick={() =>
              replay.mutate(
                { delivery_id: deliveryId },
                {
                  onError: (error) => {
                    showProblem(error, words);
                  },
                },
              )
            }
          >
            {text.replay}
          </Button>
        </>
      }
    >
      {delivery.isError ? (
        <Problem error={delivery.error} onRetry={() => void delivery.refetch()} />
      ) : data === undefined ? (
        <SkeletonPanel lines={10} />
      ) : (
        <DeliveryContent delivery={data} />
      )}
      {tests && data !== undefined && <SendTest delivery={data} onClose={() => setTests(false)} />}
    </Page>
  );
}

function DeliveryContent({ delivery }: { delivery: DeliveryDetail }) {
  const words = useScreenWords();
  const text = words.deliveries;
  const [asked, setAsked] = useState<number>();
  const attempt = delivery.attempts.find(({ number }) => number === asked) ?? delivery.attempts.at(-1);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="flex min-w-0 flex-col gap-4">
        <Panel title={text.attempts} flush>
          {attempt === undefined ? (
            <EmptyState icon={Clock} title={text.attemptsNone}>
              {text.attemptsNoneLead}
            </EmptyState>
          ) : (
            <div className="grid md:grid-cols-[18rem_minmax(0,1fr)]">
              <div className="border-line max-md:border-b md:border-r">
                <div className="max-h-160 overflow-y-auto max-md:max-h-64">
                  <AttemptList attempts={delivery.attempts} chosen={attempt.number} onChoose={setAsked} />
                </div>
              </div>
              <AttemptDetail attempt={attempt} delivery={delivery} />
            </div>
          )}
        </Panel>
        {delivery.body === "" ? (
          <Panel title={text.requestBody}>
            <p className="text-sm text-ink-soft">{text.erasedBody}</p>
          </Panel>
        ) : (
          <CodeView label={text.requestBody} code={delivery.body} json className="bg-panel! shadow-raised" />
        )}
      </div>
      <DeliveryFacts delivery={delivery} />
    </div>
  );
}

function DeliveryFacts({ delivery }: { delivery: DeliveryDetail }) {
  const words = useScreenWords();
  const text = words.deliveries;
  const { byId: agents } = useAgents();
  const { byId: destinations } = useDestinations(delivery.agent_id);
  const { data: siblings } = useCall("listDeliveries", {
    agent_id: delivery.agent_id,
    conversation_id: delivery.conversation_id,
    limit: 100,
  });
  const replays = siblings?.list.filter(({ replay_of }) => replay_of === delivery.delivery_id) ?? [];
  const destination = destinations.get(delivery.webhook_id);
  return (
    <Panel title={text.details}>
      <Facts
        facts={[
          {
            label: text.columns.destination,
            value: <span className="truncate">{destinationName(destination, words)}</span>,
          },
          {
            label: text.columns.agent,
            value: (
              <span className="truncate">
                {agents.get(delivery.agent_id)?.name ?? words.common.unknownAgent}
              </span>
            ),
          },
          { label: text.sender, value: text.senders[delivery.sender] },
          { label: text.columns.time, value: <Time at={delivery.create_time} as="short" /> },
          delivery.finish_time !== null && {
            label: text.finished,
            value: <Time at={delivery.finish_time} as="short" />,
          },
          delivery.finish_time !== null && {
            label: text.waited,
            value: duration(delivery.finish_time - delivery.create_time),
          },
          { label: text.sequence, value: <span className="tabular">{delivery.sequence}</span> },
          {
            label: text.deliveryId,
            value: <CopyableId short id={delivery.delivery_id} label={text.deliveryId} />,
          },
          {
            label: text.conversationId,
            value: <CopyableId short id={delivery.conversation_id} label={text.conversationId} />,
          },
          delivery.message_id !== null && {
            label: text.messageId,
            value: <CopyableId short id={delivery.message_id} label={text.messageId} />,
          },
          delivery.in_reply_to !== null && {
            label: text.inReplyTo,
            value: <CopyableId short id={delivery.in_reply_to} label={text.inReplyTo} />,
          },
          delivery.replay_of !== null && {
            label: text.replayOf,
            value: <DeliveryIdLink id={delivery.replay_of} />,
          },
          replays.length > 0 && {
            label: text.replays,
            value: (
              <span className="flex flex-col gap-1">
                {replays.map((one) => (
                  <span key={one.delivery_id} className="flex items-center gap-2">
                    <DeliveryIdLink id={one.delivery_id} />
                    <DeliveryStateBadge delivery={one} />
                  </span>
                ))}
              </span>
            ),
          },
        ]}
      />
      <p className="mt-4 flex flex-col gap-1.5 text-sm font-medium text-accent">
        <Link
          to="/conversations/$agentId/$conversationId"
          params={{ agentId: delivery.agent_id, conversationId: delivery.conversation_id }}
          className="w-fit hover:underline"
        >
          {text.openConversation}
        </Link>
        <Link
          to="/deliveries"
          search={{ agent: delivery.agent_id, conversation: delivery.conversation_id }}
          className="w-fit hover:underline"
        >
          {text.sameConversation}
        </Link>
      </p>
    </Panel>
  );
}

function DeliveryIdLink({ id }: { id: string }) {
  return (
    <Link
      to="/deliveries/$deliveryId"
      params={{ deliveryId: id }}
      className="font-mono text-xs text-accent hover:underline"
    >
      …{id.slice(-8)}
    </Link>
  );
}

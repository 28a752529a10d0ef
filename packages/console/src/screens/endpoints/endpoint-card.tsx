import type { DestinationState } from "@signalbox/contract";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import {
  Button,
  buttonClass,
  CopyLine,
  type Fact,
  Facts,
  showProblem,
  showToast,
  Time,
} from "../../design/index.ts";
import { useAction } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { DestinationBadge } from "../deliveries/delivery-words.tsx";
import { healthOf } from "../deliveries/destination-health.ts";
import { RecentStrip, useRecent } from "./recent-strip.tsx";

export interface EndpointCardProps {
  agentId: string;
  name: string;
  url: string;
  credentials: { username_set: boolean; secret_set: boolean };
  destination: DestinationState | undefined;
  webhookId: string;
  facts: readonly (Fact | false)[];
  actions: ReactNode;
}

/** One destination: where it is, how it does, and what can be done about it. */
export function EndpointCard({
  agentId,
  name,
  url,
  credentials,
  destination,
  webhookId,
  facts,
  actions,
}: EndpointCardProps) {
  const words = useScreenWords();
  const text = words.endpoints;
  const recent = useRecent(agentId, webhookId);
  const {
    since_time: since = null,
    next_try_time: nextTry = null,
    oldest_waiting_time: oldest = null,
  } = destination ?? {};
  const enable = useAction("enableDestination", {
    changes: ["listDestinations"],
    onDone: () => showToast({ title: text.enabled }),
  });
  const auth = credentials.secret_set
    ? text.authBasic
    : credentials.username_set
      ? text.authBearer
      : text.authNone;
  return (
    <article aria-label={name} className="flex flex-col gap-4 border-t border-line p-4 first:border-t-0">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="text-sm font-semibold text-ink">{name}</h3>
        {destination !== undefined && recent !== undefined && (
          <DestinationBadge health={healthOf(destination, recent)} />
        )}
        <div className="ml-auto flex flex-wrap gap-2">{actions}</div>
      </div>
      <CopyLine text={url} />
      <div className="grid gap-x-8 gap-y-4 md:grid-cols-2">
        <Facts facts={[{ label: text.credentials, value: auth }, ...facts]} />
        <Facts
          facts={[
            { label: text.recent, value: <RecentStrip recent={recent} /> },
            since !== null && {
              label: text.breakerSince,
              value: <Time at={since} as="short" />,
            },
            nextTry !== null && {
              label: text.nextTry,
              value: <Time at={nextTry} />,
            },
            destination !== undefined &&
              destination.lanes_parked > 0 && {
                label: text.waiting,
                value: <span className="tabular">{destination.lanes_parked}</span>,
              },
            oldest !== null && {
              label: text.oldest,
              value: <Time at={oldest} />,
            },
          ]}
        />
      </div>
      <div className="flex flex-wrap gap-2">
        <Link
          to="/deliveries"
          search={{ agent: agentId, webhook: webhookId }}
          className={buttonClass({ size: "sm", tone: "plain" })}
        >
          {text.deliveriesOf}
        </Link>
        {destination?.breaker === "disabled" && (
          <Button
            size="sm"
            tone="primary"
            busy={enable.isPending}
            onClick={() =>
              enable.mutate(
                { agent_id: agentId, webhook_id: webhookId },
                {
                  onError: (error) => {
                    showProblem(error, words);
                  },
                },
              )
            }
          >
            {text.enable}
          </Button>
        )}
      </div>
    </article>
  );
}

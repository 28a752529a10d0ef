import type { PartStatus } from "@signalbox/contract";
import { Link, useSearch } from "@tanstack/react-router";
import { Cable, CircleCheck, CircleHelp, CircleX } from "lucide-react";
import { lazy, Suspense } from "react";
import {
  Badge,
  classNames,
  EmptyState,
  Page,
  Panel,
  Problem,
  Skeleton,
  SkeletonLines,
  SkeletonPanel,
  Time,
} from "../../design/index.ts";
import { useAccess, useAgents, useCall } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import {
  DestinationBadge,
  destinationName,
  shortUrl,
  useDestinations,
} from "../deliveries/delivery-words.tsx";
import { BY_NEED, healthOf } from "../deliveries/destination-health.ts";
import { FailingModels } from "./failing-models.tsx";
import { useLastHour } from "./last-hour.ts";

const Throughput = lazy(async () => ({ default: (await import("./throughput.tsx")).Throughput }));
const POLL_MS = 5_000;

export function Health() {
  const words = useScreenWords();
  const text = words.health;
  const { agent: agentId } = useSearch({ from: "__root__" });
  // The parts of the service are nobody's business who has roles for certain agents.
  const seesParts = useAccess().may("getServiceStatus");
  const status = useCall("getServiceStatus", {}, { refetchMs: POLL_MS, enabled: seesParts });
  const models = status.data?.models.filter((one) => agentId === undefined || one.agent_id === agentId) ?? [];
  return (
    <Page
      title={text.title}
      lead={text.lead}
      beside={
        status.data !== undefined && (
          <Badge
            tone={status.data.is_normal ? "good" : "bad"}
            icon={status.data.is_normal ? CircleCheck : CircleX}
          >
            {status.data.is_normal ? text.normal : text.notNormal}
          </Badge>
        )
      }
    >
      <div className="flex flex-col gap-4">
        {!seesParts ? null : status.isError ? (
          <Problem error={status.error} onRetry={() => void status.refetch()} />
        ) : (
          <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-5">
            {status.data === undefined
              ? Array.from({ length: 5 }, (_, index) => (
                  <li key={index} className="rounded-lg border border-line bg-panel p-4">
                    <Skeleton className="w-20" />
                    <Skeleton className="mt-3 w-32" />
                  </li>
                ))
              : status.data.parts.map((part) => <Part key={part.part} part={part} />)}
          </ul>
        )}
        {models.length > 0 && <FailingModels models={models} />}
        <Suspense fallback={<SkeletonPanel lines={6} />}>
          <Throughput agentId={agentId} />
        </Suspense>
        <Destinations agentId={agentId} />
      </div>
    </Page>
  );
}

const STATES = {
  normal: { icon: CircleCheck, look: "text-good" },
  failed: { icon: CircleX, look: "text-bad" },
  unknown: { icon: CircleHelp, look: "text-warn" },
};

function Part({ part }: { part: PartStatus }) {
  const text = useScreenWords().health;
  const { icon: Icon, look } = STATES[part.state];
  return (
    <li
      className={classNames(
        "rounded-lg border bg-panel p-4 shadow-raised",
        part.state === "failed" ? "border-bad/40" : "border-line",
      )}
    >
      <p className="flex items-center gap-2 text-sm font-medium text-ink">
        <Icon className={classNames("size-4", look)} aria-hidden />
        {text.parts[part.part]}
        <span className={classNames("ml-auto text-xs font-normal", look)}>{text.states[part.state]}</span>
      </p>
      <p className="mt-1.5 text-xs text-ink-soft">
        {part.state === "normal" ? text.wellMessages[part.part] : part.message}
      </p>
      {part.advice !== null && <p className="mt-1.5 text-xs text-ink">{part.advice}</p>}
    </li>
  );
}

function Destinations({ agentId }: { agentId: string | undefined }) {
  const words = useScreenWords();
  const text = words.health;
  const { columns } = text;
  const { byId } = useAgents();
  const list = useDestinations(agentId);
  // One that needs attention may be the oldest.
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  const hour = useLastHour(agentId);
  const sorted = list.entries
    .map((one) => ({ ...one, health: healthOf(one, hour.data?.deliveries.get(one.webhook_id) ?? []) }))
    .toSorted((a, b) => BY_NEED[a.health] - BY_NEED[b.health] || b.lanes_parked - a.lanes_parked);
  return (
    <Panel flush title={text.destinations} lead={text.destinationsLead}>
      {list.isError ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : list.isPending || hour.isPending ? (
        <SkeletonLines className="p-4" />
      ) : sorted.length === 0 ? (
        <EmptyState icon={Cable} title={text.noDestinations} />
      ) : (
        <div className="overflow-x-auto">
          <table className="w-full min-w-160 text-left text-sm">
            <thead className="border-b border-line text-xs text-ink-faint">
              <tr>
                {[
                  columns.destination,
                  columns.agent,
                  columns.state,
                  columns.waiting,
                  columns.oldest,
                  columns.next,
                ].map((label) => (
                  <th key={label} scope="col" className="px-4 py-2 font-medium">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {sorted.map((one) => (
                <tr key={one.webhook_id} className="border-t border-line first:border-t-0 hover:bg-hover">
                  <td className="px-4 py-2.5">
                    <Link
                      to="/deliveries"
                      search={{ agent: one.agent_id, webhook: one.webhook_id }}
                      className="font-medium text-ink hover:underline"
                    >
                      {destinationName(one, words)}
                    </Link>
                    <span className="block max-w-80 truncate font-mono text-2xs text-ink-faint">
                      {shortUrl(one.url)}
                    </span>
                  </td>
                  <td className="px-4 py-2.5">{byId.get(one.agent_id)?.name ?? words.common.unknownAgent}</td>
                  <td className="px-4 py-2.5">
                    <DestinationBadge health={one.health} />
                  </td>
                  <td className="tabular px-4 py-2.5">{one.lanes_parked}</td>
                  <td className="px-4 py-2.5">
                    {one.oldest_waiting_time !== null && <Time at={one.oldest_waiting_time} />}
                  </td>
                  <td className="px-4 py-2.5">
                    {one.next_try_time !== null && <Time at={one.next_try_time} />}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

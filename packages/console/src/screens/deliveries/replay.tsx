import type { CAUSE_NAMES, DeliveryEvent, DeliveryState, Replay } from "@signalbox/contract";
import { Link, useParams } from "@tanstack/react-router";
import { CircleCheck, CirclePause, LoaderCircle } from "lucide-react";
import { type ReactNode, useState } from "react";
import {
  Badge,
  Button,
  buttonClass,
  ConfirmDialog,
  CopyableId,
  Facts,
  Page,
  Panel,
  Problem,
  showToast,
  SkeletonPanel,
  Time,
} from "../../design/index.ts";
import { usePreferences } from "../../preferences/index.ts";
import { useAction, useAgents, useCall } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { BackToDeliveries } from "./back-link.tsx";
import { destinationName, useDestinations } from "./delivery-words.tsx";

const POLL_MS = 1_000;

export function ReplayScreen() {
  const words = useScreenWords();
  const text = words.replay;
  const { replayId } = useParams({ from: "/replays/$replayId" });
  const replay = useCall("getReplay", { replay_id: replayId }, { refetchMs: POLL_MS });
  const [asks, setAsks] = useState(false);
  const stop = useAction("stopReplay", {
    changes: ["getReplay"],
    onDone: () => showToast({ title: text.stoppedToast }),
  });
  const { data } = replay;
  return (
    <Page
      title={text.title}
      layout="reading"
      above={<BackToDeliveries />}
      beside={data !== undefined && <ReplayState state={data.state} />}
      actions={data?.state === "running" && <Button onClick={() => setAsks(true)}>{text.stop}</Button>}
    >
      {replay.isError ? (
        <Problem error={replay.error} onRetry={() => void replay.refetch()} />
      ) : data === undefined ? (
        <SkeletonPanel />
      ) : (
        <Progress replay={data} />
      )}
      <ConfirmDialog
        open={asks}
        onOpenChange={setAsks}
        title={text.stopTitle}
        description={text.stopLead}
        confirm={text.stop}
        onConfirm={() => stop.mutateAsync({ replay_id: replayId })}
      />
    </Page>
  );
}

function ReplayState({ state }: { state: Replay["state"] }) {
  const text = useScreenWords().replay;
  if (state === "finished")
    return (
      <Badge tone="good" icon={CircleCheck}>
        {text.finished}
      </Badge>
    );
  if (state === "stopped") return <Badge icon={CirclePause}>{text.stopped}</Badge>;
  return (
    <Badge tone="accent" icon={LoaderCircle}>
      {text.running}
    </Badge>
  );
}

function Progress({ replay }: { replay: Replay }) {
  const words = useScreenWords();
  const text = words.replay;
  const number = new Intl.NumberFormat(usePreferences().language);
  const { matched, enqueued, delivered, dead } = replay;
  const share = (count: number) => `${matched === 0 ? 0 : (count / matched) * 100}%`;
  const counts: [label: string, count: number, look: string][] = [
    [text.delivered, delivered, "bg-good"],
    [text.dead, dead, "bg-bad"],
    [text.waiting, Math.max(0, enqueued - delivered - dead), "bg-warn"],
  ];
  return (
    <div className="flex flex-col gap-4">
      <Panel title={text.progress}>
        <p className="mb-3 text-2xl font-semibold tabular text-ink">
          {number.format(enqueued)}{" "}
          <span className="text-base font-normal text-ink-faint">/ {number.format(matched)}</span>
        </p>
        <div
          role="progressbar"
          aria-label={text.progress}
          aria-valuemin={0}
          aria-valuemax={matched}
          aria-valuenow={enqueued}
          className="flex h-2 overflow-hidden rounded-full bg-hover"
        >
          {counts.map(([label, count, look]) => (
            <span
              key={label}
              className={`h-full transition-[width] duration-300 ${look}`}
              style={{ width: share(count) }}
            />
          ))}
        </div>
        <dl className="mt-4 grid grid-cols-2 gap-4 sm:grid-cols-4">
          {[[text.enqueued, enqueued, "bg-line-strong"] as const, ...counts].map(([label, count, look]) => (
            <div key={label}>
              <dt className="flex items-center gap-1.5 text-xs text-ink-faint">
                <span className={`size-2 rounded-full ${look}`} aria-hidden />
                {label}
              </dt>
              <dd className="tabular text-lg font-medium text-ink">{number.format(count)}</dd>
            </div>
          ))}
        </dl>
        {dead > 0 && (
          <Link to="/deliveries" search={{ state: "dead" }} className={`${buttonClass({ size: "sm" })} mt-4`}>
            {text.seeDead}
          </Link>
        )}
      </Panel>
      <Panel title={words.deliveries.details}>
        <Facts
          facts={[
            { label: "ID", value: <CopyableId id={replay.replay_id} label={text.title} /> },
            { label: text.started, value: <Time at={replay.create_time} as="short" /> },
            replay.finish_time !== null && {
              label: words.deliveries.finished,
              value: <Time at={replay.finish_time} as="short" />,
            },
            { label: text.rate, value: number.format(replay.rate_per_second) },
            {
              label: text.filter,
              value: <FilterFacts filter={replay.filter} />,
            },
          ]}
        />
      </Panel>
    </div>
  );
}

/** In the words of the filters above the list; an id as itself. */
function FilterFacts({ filter }: { filter: Replay["filter"] }) {
  const words = useScreenWords();
  const { filters, events, stateFilter } = words.deliveries;
  const { byId: agents } = useAgents();
  const { byId: destinations } = useDestinations(undefined);
  const shown: Record<string, (value: string) => readonly [label: string, value: ReactNode]> = {
    agent_id: (id) => [words.deliveries.columns.agent, agents.get(id)?.name ?? id],
    state: (state) => [filters.state, stateFilter[state as DeliveryState]],
    cause: (cause) => [filters.cause, words.causes[cause as (typeof CAUSE_NAMES)[number]].title],
    event: (event) => [filters.event, events[event as DeliveryEvent]],
    webhook_id: (id) => [filters.destination, destinationName(destinations.get(id), words)],
    conversation_id: (id) => [
      filters.conversation,
      <CopyableId key={id} short id={id} label={filters.conversation} />,
    ],
    from_time: (at) => [words.replay.from, <Time key={at} at={Number(at)} as="short" />],
    to_time: (at) => [words.replay.to, <Time key={at} at={Number(at)} as="short" />],
  };
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1">
      {Object.entries(filter).map(([field, value]) => {
        const [label, told] = shown[field]?.(String(value)) ?? [field, String(value)];
        return (
          <li key={field} className="flex items-baseline gap-1.5">
            <span className="text-xs text-ink-faint">{label}</span>
            <span className="wrap-anywhere">{told}</span>
          </li>
        );
      })}
    </ul>
  );
}

import type { DeliveryEntry } from "@signalbox/contract";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { Pause, Play, RotateCw, Send } from "lucide-react";
import { useMemo, useState } from "react";
import {
  Button,
  buttonClass,
  Checkbox,
  type Column,
  CopyableId,
  DataTable,
  EmptyState,
  IconButton,
  Page,
  classNames,
  Problem,
  ROW_LINK,
  showToast,
  Time,
} from "../../design/index.ts";
import { call, useAgents, useLiveList } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { destinationName, DeliveryStateBadge, shortUrl, useDestinations } from "./delivery-words.tsx";
import { DeliveryFilters } from "./filters.tsx";
import { type DeliverySearch, filterOf, isFiltered } from "./search.ts";

const idOf = (delivery: DeliveryEntry) => delivery.delivery_id;

export function Deliveries() {
  const words = useScreenWords();
  const text = words.deliveries;
  const navigate = useNavigate({ from: "/deliveries" });
  const search = useSearch({ from: "/deliveries" });
  const { agent: agentId, ...filters } = search;
  const [paused, setPaused] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  // The question stays the same while the page is open, however long that is.
  const [now] = useState(() => Date.now());
  const input = useMemo(
    () => ({ ...filterOf(filters, agentId, now), state: filters.state, with_preview: true }),
    [JSON.stringify(filters), agentId, now],
  );
  const list = useLiveList("listDeliveries", input, { idOf, paused });
  const change = (changed: DeliverySearch) => {
    setSelected(new Set());
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  };
  const columns = useColumns(list.entries, selected, setSelected, agentId);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;

  return (
    <Page
      layout="full"
      title={text.title}
      beside={
        list.newCount > 0 && (
          <Button
            size="sm"
            tone="primary"
            onClick={() => void list.showNew()}
            icon={<span className="size-1.5 rounded-full bg-on-accent" aria-hidden />}
          >
            <span aria-live="polite">{words.common.newOnes(list.newCount, list.newIsMore)}</span>
          </Button>
        )
      }
      actions={
        <>
          <IconButton
            label={paused ? text.resumeLive : text.pauseLive}
            tone="plain"
            onClick={() => setPaused(!paused)}
          >
            {paused ? <Play className="size-3.5" aria-hidden /> : <Pause className="size-3.5" aria-hidden />}
          </IconButton>
          <Link to="/replays/new" search={{ ...filters, agent: agentId }} className={buttonClass()}>
            <RotateCw className="size-3.5" aria-hidden />
            {text.replayMatching}
          </Link>
        </>
      }
      lead={text.lead}
    >
      <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 px-4 pb-3 sm:px-6">
        {selected.size === 0 ? (
          <DeliveryFilters search={filters} agentId={agentId} onChange={change} />
        ) : (
          <SelectionBar selected={selected} onDone={() => setSelected(new Set())} />
        )}
      </div>
      {list.isError ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <DataTable
          label={text.title}
          columns={columns}
          rows={list.entries}
          idOf={idOf}
          isSelected={(row) => selected.has(row.delivery_id)}
          loading={list.isPending}
          compact={(row) => <CompactRow delivery={row} />}
          onEnd={hasNextPage ? () => void fetchNextPage() : undefined}
          loadingMore={isFetchingNextPage}
          empty={
            isFiltered(filters) ? (
              <EmptyState icon={Send} title={text.emptyFiltered}>
                {text.emptyFilteredLead}
              </EmptyState>
            ) : (
              <EmptyState icon={Send} title={text.emptyTitle} command={text.emptyCommand}>
                {text.emptyLead}
              </EmptyState>
            )
          }
        />
      )}
    </Page>
  );
}

interface SelectionBarProps {
  selected: ReadonlySet<string>;
  onDone: () => void;
}

function SelectionBar({ selected, onDone }: SelectionBarProps) {
  const words = useScreenWords();
  const text = words.deliveries;
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const replay = async () => {
    setBusy(true);
    const results = await Promise.allSettled(
      [...selected].map((delivery_id) => call("replayDelivery", { delivery_id })),
    );
    setBusy(false);
    const failed = results.filter(({ status }) => status === "rejected").length;
    const sent = results.length - failed;
    if (sent > 0) showToast({ title: sent === 1 ? text.replayed : text.replayedMany(sent) });
    if (failed > 0) showToast({ tone: "bad", title: text.replayFailed(failed) });
    await client.invalidateQueries({ queryKey: ["listDeliveries"] });
    onDone();
  };
  return (
    <div role="group" aria-label={words.common.actions} className="flex flex-wrap items-center gap-2">
      <span className="tabular text-sm font-medium text-ink" aria-live="polite">
        {text.selected(selected.size)}
      </span>
      <Button
        size="sm"
        tone="primary"
        busy={busy}
        onClick={() => void replay()}
        icon={<RotateCw className="size-3.5" aria-hidden />}
      >
        {text.replaySelected}
      </Button>
      <Button size="sm" tone="quiet" onClick={onDone}>
        {text.clearSelection}
      </Button>
    </div>
  );
}

function useColumns(
  rows: readonly DeliveryEntry[],
  selected: ReadonlySet<string>,
  setSelected: (selected: ReadonlySet<string>) => void,
  agentId: string | undefined,
): readonly Column<DeliveryEntry>[] {
  const words = useScreenWords();
  const { columns, events, senders, select, selectAll } = words.deliveries;
  const { byId: agents } = useAgents();
  const { byId: destinations } = useDestinations(agentId);
  return useMemo(() => {
    const toggle = (id: string, isOn: boolean) => {
      const next = new Set(selected);
      if (isOn) next.add(id);
      else next.delete(id);
      setSelected(next);
    };
    const areAll = rows.length > 0 && rows.every((row) => selected.has(row.delivery_id));
    const all: (Column<DeliveryEntry> | undefined)[] = [
      {
        id: "select",
        width: "1rem",
        header: (
          <Checkbox
            label={selectAll}
            labelHidden
            checked={areAll}
            indeterminate={!areAll && selected.size > 0}
            onChange={(isOn) => setSelected(new Set(isOn ? rows.map(idOf) : []))}
          />
        ),
        cell: (row) => (
          <span className="relative z-10 flex">
            <Checkbox
              label={select(row.delivery_id)}
              labelHidden
              checked={selected.has(row.delivery_id)}
              onChange={(isOn) => toggle(row.delivery_id, isOn)}
            />
          </span>
        ),
      },
      {
        id: "state",
        width: "8.5rem",
        header: columns.state,
        cell: (row) => <DeliveryStateBadge delivery={row} />,
      },
      {
        id: "event",
        width: "minmax(9rem,1.8fr)",
        header: columns.event,
        cell: (row) => (
          <span className="flex min-w-0 flex-col">
            <DeliveryLink delivery={row} className="truncate font-medium">
              {events[row.event]} <span className="font-normal text-ink-faint">{senders[row.sender]}</span>
            </DeliveryLink>
            {row.preview !== null && <span className="truncate text-xs text-ink-soft">{row.preview}</span>}
          </span>
        ),
      },
      {
        id: "cause",
        width: "minmax(8rem,1.3fr)",
        header: columns.cause,
        cell: (row) =>
          row.cause !== null && (
            <span className="truncate text-ink-soft">{words.causes[row.cause].title}</span>
          ),
      },
      {
        id: "destination",
        width: "minmax(8.5rem,1.3fr)",
        from: "lg",
        header: columns.destination,
        cell: (row) => {
          const destination = destinations.get(row.webhook_id);
          return (
            <span className="flex min-w-0 flex-col">
              <span className="truncate">{destinationName(destination, words)}</span>
              {destination !== undefined && (
                <span className="truncate font-mono text-2xs text-ink-faint">
                  {shortUrl(destination.url)}
                </span>
              )}
            </span>
          );
        },
      },
      agentId === undefined
        ? {
            id: "agent",
            width: "minmax(5.5rem,0.8fr)",
            from: "lg",
            header: columns.agent,
            cell: (row) => (
              <span className="truncate">{agents.get(row.agent_id)?.name ?? words.common.unknownAgent}</span>
            ),
          }
        : undefined,
      {
        id: "conversation",
        width: "6rem",
        from: "md",
        header: columns.conversation,
        cell: (row) => <CopyableId short id={row.conversation_id} label={columns.conversation} />,
      },
      {
        id: "attempts",
        width: "4.5rem",
        // The recipient says more, so this column is the first to go.
        from: agentId === undefined ? "xl" : "lg",
        align: "end",
        header: columns.attempts,
        cell: (row) => <span className="tabular">{row.attempt_count}</span>,
      },
      {
        id: "time",
        width: "5.5rem",
        align: "end",
        header: columns.time,
        cell: (row) => <Time at={row.create_time} className="text-ink-soft" />,
      },
    ];
    return all.filter((column) => column !== undefined);
  }, [
    rows,
    selected,
    setSelected,
    agents,
    destinations,
    agentId,
    words,
    columns,
    events,
    senders,
    select,
    selectAll,
  ]);
}

/** Stretched over its row: a click anywhere opens it, and so does a middle click in a new tab. */
function DeliveryLink({
  delivery,
  className,
  children,
}: {
  delivery: DeliveryEntry;
  className?: string;
  children: React.ReactNode;
}) {
  return (
    <Link
      to="/deliveries/$deliveryId"
      params={{ deliveryId: delivery.delivery_id }}
      data-row-link
      className={classNames(ROW_LINK, className)}
    >
      {children}
    </Link>
  );
}

function CompactRow({ delivery }: { delivery: DeliveryEntry }) {
  const words = useScreenWords();
  const { events, senders } = words.deliveries;
  const { cause, preview } = delivery;
  const detail = [cause === null ? [] : words.causes[cause].title, preview ?? []].flat();
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-2">
        <DeliveryLink delivery={delivery} className="min-w-0 flex-1 truncate text-sm font-medium">
          {events[delivery.event]}{" "}
          <span className="font-normal text-ink-faint">{senders[delivery.sender]}</span>
        </DeliveryLink>
        <Time at={delivery.create_time} className="text-xs text-ink-faint" />
      </div>
      <div className="flex min-w-0 items-center gap-2">
        <DeliveryStateBadge delivery={delivery} />
        <span className="truncate text-xs text-ink-soft">{detail.join(" · ")}</span>
      </div>
    </div>
  );
}

import { CAUSE_NAMES, DeliveryEvent, DeliveryState } from "@signalbox/contract";
import { X } from "lucide-react";
import { Button, Select } from "../../design/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { destinationName, useDestinations } from "./delivery-words.tsx";
import { type DeliverySearch, isFiltered, type Since, SINCE_MS } from "./search.ts";

export interface DeliveryFiltersProps {
  search: DeliverySearch;
  agentId: string | undefined;
  onChange: (change: DeliverySearch) => void;
  /** For a replay, which leaves out waiting deliveries. */
  withoutState?: boolean;
}

export function DeliveryFilters({ search, agentId, onChange, withoutState = false }: DeliveryFiltersProps) {
  const words = useScreenWords();
  const { filters, events, stateFilter } = words.deliveries;
  const { entries: destinations } = useDestinations(agentId);
  const any = { value: null, label: words.common.any };
  const since: Record<Since, string> = {
    "1h": filters.lastHour,
    "24h": filters.lastDay,
    "7d": filters.lastWeek,
  };
  const reset = {
    state: undefined,
    cause: undefined,
    event: undefined,
    webhook: undefined,
    conversation: undefined,
    message: undefined,
    since: undefined,
  };
  return (
    <div id="filters" role="group" aria-label={filters.label} className="flex flex-wrap items-center gap-1.5">
      {!withoutState && (
        <Select
          look="filter"
          label={filters.state}
          value={search.state ?? null}
          options={[any, ...DeliveryState.options.map((value) => ({ value, label: stateFilter[value] }))]}
          onChange={(state) => onChange({ state: state ?? undefined })}
        />
      )}
      <Select
        look="filter"
        label={filters.cause}
        value={search.cause ?? null}
        options={[any, ...CAUSE_NAMES.map((value) => ({ value, label: words.causes[value].title }))]}
        onChange={(cause) => onChange({ cause: cause ?? undefined })}
      />
      <Select
        look="filter"
        label={filters.event}
        value={search.event ?? null}
        options={[any, ...DeliveryEvent.options.map((value) => ({ value, label: events[value] }))]}
        onChange={(event) => onChange({ event: event ?? undefined })}
      />
      <Select
        look="filter"
        label={filters.destination}
        value={search.webhook ?? null}
        options={[
          any,
          ...destinations.map((one) => ({ value: one.webhook_id, label: destinationName(one, words) })),
        ]}
        onChange={(webhook) => onChange({ webhook: webhook ?? undefined })}
      />
      <Select
        look="filter"
        label={filters.time}
        value={search.since ?? null}
        options={[
          any,
          ...(Object.keys(SINCE_MS) as Since[]).map((value) => ({ value, label: since[value] })),
        ]}
        onChange={(chosen) => onChange({ since: chosen ?? undefined })}
      />
      {search.conversation !== undefined && (
        <Button
          size="sm"
          className="border-accent/50! bg-accent-soft!"
          onClick={() => onChange({ conversation: undefined })}
        >
          <span className="font-normal text-ink-soft">{filters.conversation}</span>
          <span className="font-mono">…{search.conversation.slice(-8)}</span>
          <X className="size-3" aria-label={words.common.remove} />
        </Button>
      )}
      {isFiltered(search) && (
        <Button size="sm" tone="quiet" onClick={() => onChange(reset)}>
          {words.common.clearFilters}
        </Button>
      )}
    </div>
  );
}

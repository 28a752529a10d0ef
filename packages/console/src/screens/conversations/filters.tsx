import { ConversationOutcome } from "@signalbox/contract";
import { Button, Select } from "../../design/index.ts";
import { TextFilter } from "../../design/text-filter.tsx";
import { useScreenWords } from "../../words/index.ts";
import { type Since, SINCE_MS } from "../deliveries/search.ts";
import type { ConversationSearch } from "./search.ts";

export interface ConversationFiltersProps {
  search: ConversationSearch;
  /** Messages are searched by an index of one agent. */
  canSearch: boolean;
  onChange: (change: ConversationSearch) => void;
}

export function ConversationFilters({ search, canSearch, onChange }: ConversationFiltersProps) {
  const words = useScreenWords();
  const text = words.conversations;
  const { filters } = words.deliveries;
  const any = { value: null, label: words.common.any };
  const since: Record<Since, string> = {
    "1h": filters.lastHour,
    "24h": filters.lastDay,
    "7d": filters.lastWeek,
  };
  const isSet = Object.values(search).some((value) => value !== undefined);
  return (
    <div
      id="filters"
      role="group"
      aria-label={text.filters.label}
      className="flex flex-wrap items-center gap-1.5"
    >
      <TextFilter
        label={text.filters.text}
        title={canSearch ? text.filters.textHelp : text.searchNeedsAgent}
        placeholder={canSearch ? text.filters.text : text.searchNeedsAgent}
        disabled={!canSearch}
        text={search.text}
        onText={(wanted) => onChange({ text: wanted })}
      />
      <Select
        look="filter"
        label={text.filters.outcome}
        value={search.outcome ?? null}
        options={[
          any,
          ...ConversationOutcome.options.map((value) => ({ value, label: text.outcomes[value] })),
        ]}
        onChange={(outcome) => onChange({ outcome: outcome ?? undefined })}
      />
      <Select
        look="filter"
        label={text.filters.speaker}
        value={search.control ?? null}
        options={[
          any,
          ...(["bot", "human"] as const).map((value) => ({ value, label: text.controls[value] })),
        ]}
        onChange={(control) => onChange({ control: control ?? undefined })}
      />
      <Select
        look="filter"
        label={text.filters.channel}
        value={search.channel ?? null}
        options={[
          any,
          ...(["api", "widget"] as const).map((value) => ({ value, label: text.channels[value] })),
        ]}
        onChange={(channel) => onChange({ channel: channel ?? undefined })}
      />
      <Select
        look="filter"
        label={text.filters.time}
        value={search.since ?? null}
        options={[
          any,
          ...(Object.keys(SINCE_MS) as Since[]).map((value) => ({ value, label: since[value] })),
        ]}
        onChange={(chosen) => onChange({ since: chosen ?? undefined })}
      />
      {isSet && (
        <Button
          size="sm"
          tone="quiet"
          onClick={() =>
            onChange({
              text: undefined,
              user: undefined,
              outcome: undefined,
              channel: undefined,
              control: undefined,
              since: undefined,
            })
          }
        >
          {words.common.clearFilters}
        </Button>
      )}
    </div>
  );
}

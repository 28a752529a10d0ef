import { ConversationChannel, NUMBERS_LANGUAGES, type Numbers } from "@signalbox/contract";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ChartColumn, Download } from "lucide-react";
import { useState } from "react";
import {
  Button,
  buttonClass,
  duration,
  EmptyState,
  Page,
  Problem,
  Select,
  showProblem,
  SkeletonPanel,
} from "../../design/index.ts";
import { usePreferences } from "../../preferences/index.ts";
import { call, useAccess, useAgents, useCall } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { saveFile } from "../knowledge/save-file.ts";
import { Headlines } from "./headlines.tsx";
import { Questions, ShareList, Split } from "./lists.tsx";
import { type NumbersSearch, RANGES, type Range, type Shown, shownRange } from "./search.ts";
import { SeriesPanel } from "./series-panel.tsx";
import { useNumbersWords } from "./words.ts";

const POLL_MS = 30_000;
const DEFAULT_RANGE: Range = "7d";
const NO_FILTERS: NumbersSearch = { channel: undefined, language: undefined };

/** How much is asked, answered and handed over. */
export function NumbersScreen() {
  const words = useScreenWords();
  const text = useNumbersWords();
  const navigate = useNavigate({ from: "/numbers" });
  const search = useSearch({ from: "/numbers" });
  const { agents, isPending: agentsPending } = useAgents();
  const { isForAgentsOnly } = useAccess();
  const { zone } = usePreferences();
  const agent = agents.find((one) => one.agent_id === search.agent);
  const range = shownRange(search.range ?? DEFAULT_RANGE, Date.now(), zone);
  const { channel, language } = search;
  const query = { agent_id: agent?.agent_id, ...range, channel, language };
  const numbers = useCall("getNumbers", query, {
    refetchMs: POLL_MS,
    // An account with roles for certain agents sees one of them at a time.
    enabled: !agentsPending && (!isForAgentsOnly || agent !== undefined),
  });
  const isFiltered = channel !== undefined || language !== undefined;
  const change = (next: NumbersSearch) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  return (
    <Page
      title={text.title}
      beside={<span className="text-sm text-ink-faint">{agent?.name ?? words.frame.allAgents}</span>}
      lead={text.lead}
      actions={<DownloadButton query={query} />}
    >
      <div className="flex flex-col gap-4">
        <Controls search={search} onChange={change} />
        {numbers.isError ? (
          <Problem error={numbers.error} onRetry={() => void numbers.refetch()} />
        ) : numbers.data === undefined ? (
          <SkeletonPanel lines={10} />
        ) : isEmpty(numbers.data) ? (
          <EmptyState
            icon={ChartColumn}
            title={isFiltered ? text.emptyFiltered : text.emptyTitle}
            actions={
              isFiltered ? (
                <Button onClick={() => change(NO_FILTERS)}>{words.common.clearFilters}</Button>
              ) : (
                <Link to="/" className={buttonClass({})}>
                  {words.problems.goToStart}
                </Link>
              )
            }
          >
            {isFiltered ? text.emptyFilteredLead : text.emptyLead}
          </EmptyState>
        ) : (
          <Report numbers={numbers.data} range={range} agentId={agent?.agent_id} />
        )}
      </div>
    </Page>
  );
}

function isEmpty({ totals }: Numbers): boolean {
  const { messages, handoffs, tokens } = totals;
  return messages.user + messages.ai + messages.human + messages.system + handoffs + (tokens ?? 0) === 0;
}

interface ControlsProps {
  search: NumbersSearch;
  onChange: (change: NumbersSearch) => void;
}

function Controls({ search, onChange }: ControlsProps) {
  const words = useScreenWords();
  const text = useNumbersWords();
  const any = { value: null, label: words.common.any };
  const chosen = search.range ?? DEFAULT_RANGE;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <div role="group" aria-label={text.range} className="flex flex-wrap gap-1">
        {(Object.keys(RANGES) as Range[]).map((range) => (
          <Button
            key={range}
            size="sm"
            tone={range === chosen ? "plain" : "quiet"}
            aria-pressed={range === chosen}
            onClick={() => onChange({ range })}
          >
            {text.ranges[range]}
          </Button>
        ))}
      </div>
      <div
        id="filters"
        role="group"
        aria-label={text.filters}
        className="flex flex-wrap items-center gap-1.5"
      >
        <Select
          look="filter"
          label={text.channel}
          value={search.channel ?? null}
          options={[
            any,
            ...ConversationChannel.options.map((value) => ({ value, label: text.channels[value] })),
          ]}
          onChange={(channel) => onChange({ channel: channel ?? undefined })}
        />
        <Select
          look="filter"
          label={text.language}
          value={search.language ?? null}
          options={[any, ...NUMBERS_LANGUAGES.map((value) => ({ value, label: text.languages[value] }))]}
          onChange={(language) => onChange({ language: language ?? undefined })}
        />
        {(search.channel !== undefined || search.language !== undefined) && (
          <Button size="sm" tone="quiet" onClick={() => onChange(NO_FILTERS)}>
            {words.common.clearFilters}
          </Button>
        )}
      </div>
    </div>
  );
}

type Query = Shown & Pick<NumbersSearch, "channel" | "language"> & { agent_id: string | undefined };

function DownloadButton({ query }: { query: Query }) {
  const words = useScreenWords();
  const text = useNumbersWords();
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      saveFile(await call("exportNumbers", query), `${text.fileName}.csv`);
    } catch (error) {
      showProblem(error, words);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button busy={isBusy} icon={<Download className="size-3.5" aria-hidden />} onClick={() => void save()}>
      {text.download}
    </Button>
  );
}

interface ReportProps {
  numbers: Numbers;
  range: Shown;
  agentId: string | undefined;
}

function Report({ numbers, range, agentId }: ReportProps) {
  const text = useNumbersWords();
  const { common } = useScreenWords();
  const { totals, series } = numbers;
  const { step } = range;
  const sum = Object.values(totals.answers).reduce((total, count) => total + count, 0);
  return (
    <>
      <Headlines numbers={numbers} />
      <div className="grid gap-4 lg:grid-cols-2">
        <SeriesPanel
          title={text.volume}
          series={series}
          step={step}
          totals={[totals.conversations, totals.handoffs]}
          fields={[
            { name: text.conversations, fill: "var(--color-chart-1)", value: (point) => point.conversations },
            { name: text.handoffs, fill: "var(--color-chart-3)", value: (point) => point.handoffs },
          ]}
        />
        <SeriesPanel
          title={text.answers}
          lead={`${text.answersLead}${common.colon}${sum.toLocaleString()}`}
          series={series}
          step={step}
          stacked
          totals={ANSWERS.map(({ branch }) => totals.answers[branch])}
          fields={ANSWERS.map(({ branch, fill }) => ({
            name: text.branches[branch],
            fill,
            value: (point) => point.answers[branch],
          }))}
        />
        <SeriesPanel
          title={text.waiting}
          lead={text.waitingLead}
          series={series}
          step={step}
          show={duration}
          totals={[totals.waiting.median_ms, totals.waiting.p90_ms]}
          fields={[
            { name: text.median, fill: "var(--color-chart-1)", value: ({ waiting }) => waiting.median_ms },
            { name: text.p90, fill: "var(--color-chart-3)", value: ({ waiting }) => waiting.p90_ms },
          ]}
        />
        {totals.tokens !== null && (
          <SeriesPanel
            title={text.tokens}
            series={series}
            step={step}
            totals={[totals.tokens]}
            fields={[{ name: text.tokens, fill: "var(--color-chart-2)", value: ({ tokens }) => tokens }]}
          />
        )}
        <ShareList
          title={text.whyHandedOver}
          counts={Object.entries(totals.handoff_triggers).map(([trigger, count]) => ({
            name: text.triggers[trigger as keyof typeof totals.handoff_triggers],
            count,
          }))}
        />
        <ShareList
          title={text.howEnded}
          counts={Object.entries(totals.handoff_ends).map(([reason, count]) => ({
            name: text.ends[reason as keyof typeof totals.handoff_ends],
            count,
          }))}
        />
      </div>
      <Questions agentId={agentId} range={range} />
      <Split numbers={numbers} />
    </>
  );
}

/** From sure to unsure, so that the order of the bars says it too. */
const ANSWERS = [
  { branch: "direct", fill: "var(--color-chart-2)" },
  { branch: "model", fill: "var(--color-chart-1)" },
  { branch: "suggestion", fill: "var(--color-chart-3)" },
  { branch: "unanswered", fill: "var(--color-chart-4)" },
  { branch: "small_talk", fill: "var(--color-line-strong)" },
] as const;

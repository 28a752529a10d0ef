import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import {
  Button,
  duration,
  Field,
  Input,
  Page,
  Panel,
  Problem,
  showProblem,
  Select,
} from "../../design/index.ts";
import { usePreferences } from "../../preferences/index.ts";
import { useAction } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { BackToDeliveries } from "./back-link.tsx";
import { DeliveryFilters } from "./filters.tsx";
import { type DeliverySearch, filterOf } from "./search.ts";

const RATE_MAX = 1_000;
const RATE_FIRST = 10;

/** First how many, then at what pace, then go. */
export function NewReplay() {
  const words = useScreenWords();
  const text = words.replay;
  const { language } = usePreferences();
  const navigate = useNavigate({ from: "/replays/new" });
  const { agent: agentId, ...filters } = useSearch({ from: "/replays/new" });
  const [rate, setRate] = useState(String(RATE_FIRST));
  const count = useAction("startReplay");
  const start = useAction("startReplay", {
    changes: ["listDeliveries"],
    onDone: ({ replay_id }) => {
      if (replay_id !== null) void navigate({ to: "/replays/$replayId", params: { replayId: replay_id } });
    },
  });
  const state = filters.state === "delivered" || filters.state === "dead" ? filters.state : undefined;
  const ratePerSecond = Number(rate);
  const isRateGood = Number.isInteger(ratePerSecond) && ratePerSecond >= 1 && ratePerSecond <= RATE_MAX;
  const matched = count.data?.matched;
  const number = new Intl.NumberFormat(language);
  const change = (changed: DeliverySearch) => {
    count.reset();
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  };
  const request = (dry_run: boolean) => ({
    filter: { ...filterOf(filters, agentId, Date.now()), state },
    dry_run,
    rate_per_second: isRateGood ? ratePerSecond : RATE_FIRST,
  });
  return (
    <Page title={text.title} lead={text.lead} layout="reading" above={<BackToDeliveries />}>
      <Panel title={text.scope}>
        <div className="flex flex-col gap-5">
          <div className="flex flex-wrap items-center gap-1.5 [&>#filters]:contents">
            <Select
              look="filter"
              label={words.deliveries.filters.state}
              value={state ?? null}
              options={[
                { value: null, label: text.states.both },
                { value: "dead", label: text.states.dead },
                { value: "delivered", label: text.states.delivered },
              ]}
              onChange={(chosen) => change({ state: chosen ?? undefined })}
            />
            <DeliveryFilters
              withoutState
              search={{ ...filters, state: undefined }}
              agentId={agentId}
              onChange={change}
            />
          </div>
          <Field
            label={text.rate}
            help={text.rateHelp}
            problem={isRateGood ? undefined : text.rateHelp}
            className="max-w-80"
          >
            <Input inputMode="numeric" value={rate} onChange={(event) => setRate(event.target.value)} />
          </Field>
          <div aria-live="polite" className="min-h-10 border-t border-line pt-4">
            {matched === undefined ? (
              <p className="text-sm text-ink-soft">{text.startFirst}</p>
            ) : matched === 0 ? (
              <p className="text-sm text-ink-soft">{text.matchedNone}</p>
            ) : (
              <p className="text-sm text-ink">
                <strong className="font-semibold">{text.matched(number.format(matched))}.</strong>{" "}
                {isRateGood && (
                  <span className="text-ink-soft">
                    {text.estimate(duration((matched / ratePerSecond) * 1_000))}
                  </span>
                )}
              </p>
            )}
          </div>
          <div className="flex flex-wrap gap-2">
            <Button busy={count.isPending} disabled={!isRateGood} onClick={() => count.mutate(request(true))}>
              {count.isPending ? text.counting : text.count}
            </Button>
            <Button
              tone="primary"
              disabled={!isRateGood || matched === undefined || matched === 0}
              busy={start.isPending}
              onClick={() =>
                start.mutate(request(false), {
                  onError: (error) => {
                    showProblem(error, words);
                  },
                })
              }
            >
              {matched === undefined ? text.startUncounted : text.start(number.format(matched))}
            </Button>
          </div>
        </div>
      </Panel>
      {count.isError && <Problem error={count.error} />}
    </Page>
  );
}

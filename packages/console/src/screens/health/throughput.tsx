import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { useState } from "react";
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import {
  absoluteTime,
  Button,
  classNames,
  EmptyState,
  Panel,
  Problem,
  SkeletonLines,
} from "../../design/index.ts";
import { usePreferences } from "../../preferences/index.ts";
import { useScreenWords } from "../../words/index.ts";
import type { LastHour, Minute } from "./count-last-hour.ts";
import { useLastHour } from "./last-hour.ts";

const SERIES = [
  { field: "delivered", fill: "var(--color-chart-2)" },
  { field: "pending", fill: "var(--color-chart-3)" },
  { field: "dead", fill: "var(--color-chart-4)" },
] as const;

/** What happened in the last hour, as a picture, in a sentence and as a table. */
export function Throughput({ agentId }: { agentId: string | undefined }) {
  const words = useScreenWords();
  const text = words.health;
  const hour = useLastHour(agentId);
  const [asTable, setAsTable] = useState(false);
  return (
    <div
      className={classNames(
        "grid items-start gap-4",
        !hour.isError && "lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]",
      )}
    >
      <Panel
        title={text.throughput}
        lead={text.throughputLead(hour.data?.isPartial === true ? text.partial : "")}
        actions={
          !hour.isError && (
            <Button size="sm" tone="quiet" onClick={() => setAsTable(!asTable)}>
              {asTable ? text.asChart : text.asTable}
            </Button>
          )
        }
      >
        {hour.isError ? (
          <Problem error={hour.error} onRetry={() => void hour.refetch()} />
        ) : hour.data === undefined ? (
          <SkeletonLines lines={6} />
        ) : asTable ? (
          <MinuteTable minutes={hour.data.minutes} />
        ) : (
          <Chart hour={hour.data} />
        )}
      </Panel>
      {!hour.isError && (
        <Panel title={text.causes} lead={text.causesLead} flush>
          {hour.data === undefined ? (
            <SkeletonLines className="p-4" />
          ) : (
            <Causes hour={hour.data} agentId={agentId} />
          )}
        </Panel>
      )}
    </div>
  );
}

function Chart({ hour: { minutes } }: { hour: LastHour }) {
  const words = useScreenWords();
  const text = words.health;
  const preferences = usePreferences();
  const clock = (at: number) => absoluteTime(at, preferences, "clock").slice(0, 5);
  const sum = (field: "delivered" | "pending" | "dead") =>
    minutes.reduce((total, minute) => total + minute[field], 0);
  const names = { delivered: text.delivered, pending: text.waiting, dead: text.dead };
  return (
    <figure>
      <figcaption className="mb-3 flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft">
        <span className="sr-only">{text.chartSummary(sum("delivered"), sum("pending"), sum("dead"))}</span>
        {SERIES.map(({ field, fill }) => (
          <span key={field} aria-hidden className="flex items-center gap-1.5">
            <span className="size-2 rounded-xs" style={{ background: fill }} />
            {names[field]} <span className="tabular font-medium text-ink">{sum(field)}</span>
          </span>
        ))}
      </figcaption>
      <div className="h-48" aria-hidden>
        <ResponsiveContainer width="100%" height="100%">
          <BarChart
            data={minutes}
            margin={{ top: 4, right: 0, bottom: 0, left: -24 }}
            barCategoryGap={1}
            accessibilityLayer={false}
          >
            <CartesianGrid vertical={false} stroke="var(--color-line)" />
            <XAxis
              dataKey="at"
              tickFormatter={clock}
              interval={14}
              tick={{ fill: "var(--color-ink-faint)", fontSize: 11 }}
              tickLine={false}
              axisLine={false}
            />
            <YAxis
              allowDecimals={false}
              tick={{ fill: "var(--color-ink-faint)", fontSize: 11 }}
              tickLine={false}
              axisLine={false}
            />
            <Tooltip
              isAnimationActive={false}
              cursor={{ fill: "var(--color-hover)" }}
              content={({ payload }) => (
                <MinuteTip minute={payload?.[0]?.payload as Minute | undefined} clock={clock} names={names} />
              )}
            />
            {SERIES.map(({ field, fill }) => (
              <Bar key={field} dataKey={field} stackId="deliveries" fill={fill} isAnimationActive={false} />
            ))}
          </BarChart>
        </ResponsiveContainer>
      </div>
    </figure>
  );
}

interface MinuteTipProps {
  minute: Minute | undefined;
  clock: (at: number) => string;
  names: Record<"delivered" | "pending" | "dead", string>;
}

function MinuteTip({ minute, clock, names }: MinuteTipProps) {
  const { common } = useScreenWords();
  if (minute === undefined) return null;
  return (
    <div className="rounded-md bg-raised px-2.5 py-1.5 text-xs text-ink shadow-floating">
      <p className="tabular font-medium">{clock(minute.at)}</p>
      {SERIES.map(({ field }) => (
        <p key={field} className="tabular text-ink-soft">
          {`${names[field]}${common.colon}${minute[field]}`}
        </p>
      ))}
    </div>
  );
}

function MinuteTable({ minutes }: { minutes: readonly Minute[] }) {
  const words = useScreenWords();
  const text = words.health;
  const preferences = usePreferences();
  return (
    <div className="max-h-60 overflow-y-auto" tabIndex={0} role="region" aria-label={text.throughput}>
      <table className="tabular w-full text-sm">
        <thead className="text-xs text-ink-faint">
          <tr>
            <th scope="col" className="py-1 text-left font-medium">
              {text.minute}
            </th>
            {[text.delivered, text.waiting, text.dead].map((label) => (
              <th key={label} scope="col" className="py-1 pl-4 text-right font-medium">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {minutes.toReversed().map((minute) => (
            <tr key={minute.at} className="border-t border-line">
              <th scope="row" className="py-1 text-left font-normal">
                {absoluteTime(minute.at, preferences, "clock").slice(0, 5)}
              </th>
              <td className="pl-4 text-right">{minute.delivered}</td>
              <td className="pl-4 text-right">{minute.pending}</td>
              <td className="pl-4 text-right">{minute.dead}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Causes({ hour, agentId }: { hour: LastHour; agentId: string | undefined }) {
  const words = useScreenWords();
  const text = words.health;
  if (hour.causes.length === 0) return <EmptyState icon={CircleCheck} title={text.noCauses} />;
  const most = hour.causes[0]?.count ?? 1;
  return (
    <ul className="py-1">
      {hour.causes.map(({ cause, count }) => (
        <li key={cause} className="relative px-4 py-2 hover:bg-hover">
          <Link
            to="/deliveries"
            search={{ agent: agentId, cause, since: "1h" }}
            className="flex items-baseline gap-2 text-sm after:absolute after:inset-0"
          >
            <span className="min-w-0 flex-1 truncate text-ink">{words.causes[cause].title}</span>
            <span className="tabular text-ink-soft">{count}</span>
          </Link>
          <span className="mt-1 block h-1 overflow-hidden rounded-full bg-hover" aria-hidden>
            <span
              className="block h-full rounded-full bg-bad"
              style={{ width: `${(count / most) * 100}%` }}
            />
          </span>
        </li>
      ))}
    </ul>
  );
}

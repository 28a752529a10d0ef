import type { Numbers, NumbersStep } from "@signalbox/contract";
import { useState } from "react";
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { Button, Panel } from "../../design/index.ts";
import { type Language, usePreferences, type Zone } from "../../preferences/index.ts";
import { useNumbersWords } from "./words.ts";

type Point = Numbers["series"][number];

export interface SeriesField {
  name: string;
  fill: string;
  /** null: there was none at that time. */
  value: (point: Point) => number | null;
}

export interface SeriesPanelProps {
  title: string;
  lead?: string;
  series: readonly Point[];
  step: NumbersStep;
  fields: readonly SeriesField[];
  /** Bars stand on each other; otherwise beside each other. */
  stacked?: boolean;
  show?: (value: number) => string;
  /** What the fields come to over the whole range, in their order. */
  totals: readonly (number | null)[];
}

/** Figures over time as bars, in a sentence for who does not see them, and as a table. */
export function SeriesPanel(props: SeriesPanelProps) {
  const text = useNumbersWords();
  const [asTable, setAsTable] = useState(false);
  return (
    <Panel
      title={props.title}
      {...(props.lead !== undefined && { lead: props.lead })}
      actions={
        <Button size="sm" tone="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? text.asChart : text.asTable}
        </Button>
      }
    >
      {asTable ? <SeriesTable {...props} /> : <Chart {...props} />}
    </Panel>
  );
}

function timeText(
  at: number,
  step: NumbersStep,
  { language, zone }: { language: Language; zone: Zone },
): string {
  const timeZone = zone === "utc" ? { timeZone: "UTC" } : {};
  const shape: Intl.DateTimeFormatOptions =
    step === "hour"
      ? { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }
      : { month: "short", day: "numeric" };
  return new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, { ...shape, ...timeZone }).format(
    at,
  );
}

const plain = (value: number) => value.toLocaleString();

function Chart({ title, series, step, fields, stacked = false, show = plain, totals }: SeriesPanelProps) {
  const text = useNumbersWords();
  const preferences = usePreferences();
  const clock = (at: number) => timeText(at, step, preferences);
  const total = (at: number) => {
    const value = totals[at] ?? null;
    return value === null ? text.noData : show(value);
  };
  const tick = { fill: "var(--color-ink-faint)", fontSize: 11 };
  return (
    <figure>
      <figcaption className="mb-3 flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-soft">
        <span className="sr-only">
          {title}: {fields.map(({ name }, at) => `${name} ${total(at)}`).join(", ")}
        </span>
        {fields.map(({ name, fill }, at) => (
          <span key={name} aria-hidden className="flex items-center gap-1.5">
            <span className="size-2 rounded-xs" style={{ background: fill }} />
            {name} <span className="tabular font-medium text-ink">{total(at)}</span>
          </span>
        ))}
      </figcaption>
      <div className="h-52" aria-hidden>
        <ResponsiveContainer width="100%" height="100%">
          <BarChart
            data={[...series]}
            margin={{ top: 4, right: 0, bottom: 0, left: 0 }}
            barCategoryGap="20%"
            accessibilityLayer={false}
          >
            <CartesianGrid vertical={false} stroke="var(--color-line)" />
            <XAxis
              dataKey="time"
              tickFormatter={clock}
              minTickGap={16}
              tick={tick}
              tickLine={false}
              axisLine={false}
            />
            <YAxis
              width="auto"
              allowDecimals={false}
              tickFormatter={(value: number) => show(value)}
              tick={tick}
              tickLine={false}
              axisLine={false}
            />
            <Tooltip
              isAnimationActive={false}
              cursor={{ fill: "var(--color-hover)" }}
              content={({ payload }) => (
                <Tip
                  point={payload?.[0]?.payload as Point | undefined}
                  fields={fields}
                  clock={clock}
                  show={show}
                />
              )}
            />
            {fields.map(({ name, fill, value }) => (
              <Bar
                key={name}
                dataKey={(point: Point) => value(point) ?? 0}
                fill={fill}
                maxBarSize={40}
                isAnimationActive={false}
                {...(stacked && { stackId: "all" })}
              />
            ))}
          </BarChart>
        </ResponsiveContainer>
      </div>
    </figure>
  );
}

interface TipProps {
  point: Point | undefined;
  fields: readonly SeriesField[];
  clock: (at: number) => string;
  show: (value: number) => string;
}

function Tip({ point, fields, clock, show }: TipProps) {
  const text = useNumbersWords();
  if (point === undefined) return null;
  return (
    <div className="rounded-md bg-raised px-2.5 py-1.5 text-xs text-ink shadow-floating">
      <p className="tabular font-medium">{clock(point.time)}</p>
      {fields.map(({ name, value }) => {
        const shown = value(point);
        return (
          <p key={name} className="tabular text-ink-soft">
            {name}: {shown === null ? text.noData : show(shown)}
          </p>
        );
      })}
    </div>
  );
}

function SeriesTable({ title, series, step, fields, show = plain }: SeriesPanelProps) {
  const text = useNumbersWords();
  const preferences = usePreferences();
  return (
    <div className="max-h-72 overflow-auto" tabIndex={0} role="region" aria-label={title}>
      <table className="tabular w-full text-sm">
        <thead className="text-xs text-ink-faint">
          <tr>
            <th scope="col" className="py-1 text-left font-medium">
              {text.time}
            </th>
            {fields.map(({ name }) => (
              <th key={name} scope="col" className="py-1 pl-4 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {series.toReversed().map((point) => (
            <tr key={point.time} className="border-t border-line">
              <th scope="row" className="py-1 text-left font-normal whitespace-nowrap">
                {timeText(point.time, step, preferences)}
              </th>
              {fields.map(({ name, value }) => {
                const shown = value(point);
                return (
                  <td key={name} className="pl-4 text-right">
                    {shown === null ? text.noData : show(shown)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

import type { DeliveryAttempt } from "@signalbox/contract";
import { classNames, duration } from "../../design/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { stepsOf, type Step } from "./timing-steps.ts";

const LOOKS: Record<Step["name"], string> = {
  dns: "bg-chart-3",
  connect: "bg-chart-2",
  tls: "bg-chart-4",
  firstByte: "bg-chart-1",
  rest: "bg-line-strong",
};

/** Where the time of an attempt went: a bar for each step, where in the attempt it began and how long it took. */
export function Timings({ attempt }: { attempt: DeliveryAttempt }) {
  const text = useScreenWords().deliveries;
  const { steps, isReused } = stepsOf(attempt);
  if (steps.length === 0) return null;
  const whole = Math.max(1, attempt.duration_ms);
  const share = (ms: number) => `${Math.min(100, (ms / whole) * 100)}%`;
  return (
    <section aria-label={text.timings.title}>
      <h3 className="mb-1.5 text-xs font-medium text-ink-faint">{text.timings.title}</h3>
      <dl className="flex flex-col gap-1">
        {steps.map(({ name, beganMs, tookMs }) => (
          <div key={name} className="grid grid-cols-[6.5rem_minmax(0,1fr)_4rem] items-center gap-2 text-xs">
            <dt className="truncate text-ink-soft">{text.timings[name]}</dt>
            <dd className="contents">
              <span className="relative h-2 overflow-hidden rounded-full bg-hover" aria-hidden>
                <span
                  className={classNames("absolute inset-y-0 min-w-0.5 rounded-full", LOOKS[name])}
                  style={{ left: `min(${share(beganMs)}, calc(100% - 0.125rem))`, width: share(tookMs) }}
                />
              </span>
              <span className="tabular text-right text-ink">{duration(tookMs)}</span>
            </dd>
          </div>
        ))}
      </dl>
      {isReused && <p className="mt-1.5 text-xs text-ink-faint">{text.timings.reused}</p>}
    </section>
  );
}

import type { Figures, Numbers } from "@signalbox/contract";
import { ArrowDown, ArrowUp, Equal } from "lucide-react";
import { classNames, duration } from "../../design/index.ts";
import { usePreferences } from "../../preferences/index.ts";
import { answeredShare, goodShare, handoffRate, offeredShare, resolvedShare } from "./shares.ts";
import { useNumbersWords } from "./words.ts";

interface Headline {
  label: string;
  lead: string | undefined;
  /** null: there is nothing to say. */
  value: (figures: Figures) => number | null;
  show: (value: number) => string;
  /** Shares change by points, all else in percent. */
  isShare?: boolean;
  /** Whether more of it is good, bad, or neither. */
  more?: "good" | "bad";
}

/** The figures to read first, each beside the period before. */
export function Headlines({ numbers: { totals, previous } }: { numbers: Numbers }) {
  const text = useNumbersWords();
  const { language } = usePreferences();
  const whole = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1 });
  const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 0 });
  const count = (value: number) => whole.format(value);
  const part = (value: number) => percent.format(value);
  const { p90_ms } = totals.first_reply;
  const headlines: Headline[] = [
    { label: text.conversations, lead: undefined, value: (one) => one.conversations, show: count },
    {
      label: text.answered,
      lead: text.answeredLead,
      value: answeredShare,
      show: part,
      isShare: true,
      more: "good",
    },
    { label: text.offered, lead: text.offeredLead, value: offeredShare, show: part, isShare: true },
    { label: text.handoffRate, lead: text.handoffRateLead, value: handoffRate, show: part, isShare: true },
    {
      label: text.firstReply,
      lead: p90_ms === null ? undefined : `${text.firstReplyLead} ${duration(p90_ms)}`,
      value: ({ first_reply }) => first_reply.median_ms,
      show: duration,
      more: "bad",
    },
    {
      label: text.resolved,
      lead: text.resolvedLead,
      value: resolvedShare,
      show: part,
      isShare: true,
      more: "good",
    },
    {
      label: text.ratedGood,
      lead: text.ratedGoodLead(totals.ratings.good + totals.ratings.bad),
      value: goodShare,
      show: part,
      isShare: true,
      more: "good",
    },
    {
      label: text.tokens,
      lead: totals.tokens === null ? text.tokensByAgent : undefined,
      value: ({ tokens }) => tokens,
      show: count,
    },
  ];
  return (
    <dl className="grid grid-cols-2 gap-3 md:grid-cols-4 2xl:grid-cols-8">
      {headlines.map((headline) => (
        <HeadlineCard key={headline.label} headline={headline} totals={totals} previous={previous} />
      ))}
    </dl>
  );
}

interface HeadlineCardProps {
  headline: Headline;
  totals: Figures;
  previous: Figures;
}

function HeadlineCard({ headline, totals, previous }: HeadlineCardProps) {
  const text = useNumbersWords();
  const { label, lead, show } = headline;
  const [now, before] = [headline.value(totals), headline.value(previous)];
  return (
    <div className="flex min-w-0 flex-col rounded-lg border border-line bg-panel p-3 shadow-raised sm:p-4">
      <dt className="text-xs font-medium text-ink-soft">{label}</dt>
      <dd className="tabular mt-1 text-2xl font-semibold tracking-tight text-ink">
        {now === null ? text.noData : show(now)}
      </dd>
      <dd className="mt-0.5 min-h-5 text-xs">
        {now !== null && before !== null && before !== 0 && (
          <Change headline={headline} now={now} before={before} />
        )}
      </dd>
      {lead !== undefined && <dd className="mt-auto pt-1 text-2xs text-ink-faint">{lead}</dd>}
    </div>
  );
}

interface ChangeProps {
  headline: Headline;
  now: number;
  before: number;
}

function Change({ headline: { isShare = false, more, show }, now, before }: ChangeProps) {
  const text = useNumbersWords();
  const { language } = usePreferences();
  const change = Math.round((isShare ? now - before : now / before - 1) * 100);
  const number = new Intl.NumberFormat(language, { signDisplay: "exceptZero" }).format(change);
  const shown = isShare ? text.points(number) : `${number}%`;
  const isGood = more !== undefined && (more === "good") === change > 0;
  const look = change === 0 || more === undefined ? "text-ink-soft" : isGood ? "text-good" : "text-bad";
  const Icon = change === 0 ? Equal : change > 0 ? ArrowUp : ArrowDown;
  return (
    <span className={classNames("tabular inline-flex items-center gap-0.5", look)}>
      <Icon className="size-3" aria-hidden />
      <span aria-hidden>{change === 0 ? text.noChange : shown}</span>
      <span className="sr-only">{change === 0 ? text.noChange : text.change(shown, show(before))}</span>
    </span>
  );
}

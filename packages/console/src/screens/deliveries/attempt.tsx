import type { DeliveryAttempt, DeliveryDetail } from "@signalbox/contract";
import { CircleCheck, CircleX, TriangleAlert, Wrench } from "lucide-react";
import { classNames, CodeView, CopyButton, duration, Facts, Time } from "../../design/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { curlOf } from "./curl.ts";
import { Timings } from "./timings.tsx";

export interface AttemptListProps {
  attempts: readonly DeliveryAttempt[];
  chosen: number;
  onChoose: (number: number) => void;
}

/** Every attempt as one step of a line in time, the newest first; how long each took, beside the longest of them. */
export function AttemptList({ attempts, chosen, onChoose }: AttemptListProps) {
  const words = useScreenWords();
  const text = words.deliveries;
  const longest = Math.max(1, ...attempts.map((attempt) => attempt.duration_ms));
  return (
    <ol className="flex flex-col">
      {attempts.toReversed().map((attempt) => {
        const isGood = attempt.cause === null;
        const Icon = isGood ? CircleCheck : CircleX;
        return (
          <li
            key={attempt.number}
            className="relative before:absolute before:top-0 before:bottom-0 before:left-[1.4375rem] before:w-px before:bg-line first:before:top-1/2 last:before:bottom-1/2"
          >
            <button
              type="button"
              aria-pressed={attempt.number === chosen}
              onClick={() => onChoose(attempt.number)}
              className={classNames(
                "relative flex w-full items-center gap-3 px-4 py-2 text-left -outline-offset-2! hover:bg-hover",
                attempt.number === chosen && "bg-selected!",
              )}
            >
              <Icon
                className={classNames(
                  "relative size-4 shrink-0 rounded-full bg-panel",
                  isGood ? "text-good" : "text-bad",
                )}
                aria-hidden
              />
              <span className="min-w-0 flex-1">
                <span className="flex items-baseline gap-2">
                  <span className="font-medium whitespace-nowrap text-ink">
                    {text.attempt(attempt.number)}
                  </span>
                  <span className="truncate text-xs text-ink-soft">{outcomeOf(attempt, words)}</span>
                </span>
                <span className="mt-1 flex items-center gap-2 text-2xs text-ink-faint">
                  <Time at={attempt.start_time} as="short" />
                  <span className="h-1 min-w-0 flex-1 overflow-hidden rounded-full bg-hover" aria-hidden>
                    <span
                      className={classNames("block h-full rounded-full", isGood ? "bg-good" : "bg-bad")}
                      style={{ width: `${Math.max(2, (attempt.duration_ms / longest) * 100)}%` }}
                    />
                  </span>
                  <span className="tabular whitespace-nowrap">{duration(attempt.duration_ms)}</span>
                </span>
              </span>
            </button>
          </li>
        );
      })}
    </ol>
  );
}

function outcomeOf(
  { cause, http_status }: DeliveryAttempt,
  words: ReturnType<typeof useScreenWords>,
): string {
  const { httpStatus, noAnswer } = words.deliveries;
  if (http_status !== null && http_status > 0) return httpStatus(http_status);
  return cause === null ? noAnswer : words.causes[cause].title;
}

export interface AttemptDetailProps {
  attempt: DeliveryAttempt;
  delivery: DeliveryDetail;
}

export function AttemptDetail({ attempt, delivery }: AttemptDetailProps) {
  const words = useScreenWords();
  const text = words.deliveries;
  const curl = curlOf(attempt, delivery.body);
  const headers = Object.entries(attempt.request_headers ?? {})
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
  return (
    <div className="flex min-w-0 flex-col gap-4 p-4">
      {attempt.cause !== null && <CauseNote cause={attempt.cause} />}
      {attempt.acknowledged === false && attempt.cause === null && (
        <p className="flex items-start gap-2 rounded-md bg-warn-soft p-3 text-sm text-ink">
          <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden />
          {text.notAcknowledged}
        </p>
      )}
      <Facts
        facts={[
          {
            label: text.sentTo,
            value: (
              <span className="min-w-0 font-mono text-xs wrap-anywhere">
                {attempt.url ?? text.nothingSent}
              </span>
            ),
          },
          {
            label: text.response,
            value:
              attempt.http_status !== null && attempt.http_status > 0
                ? text.httpStatus(attempt.http_status)
                : text.noAnswer,
          },
          { label: text.took, value: <span className="tabular">{duration(attempt.duration_ms)}</span> },
          { label: words.common.time, value: <Time at={attempt.start_time} as="full" /> },
        ]}
      />
      <Timings attempt={attempt} />
      {curl !== undefined && (
        <div>
          <CopyButton size="sm" text={curl} label={text.copyCurl} />
        </div>
      )}
      {attempt.response_body === null ? (
        <p className="text-xs text-ink-faint">
          {`${text.responseBody}${words.common.colon}${text.noResponseBody}`}
        </p>
      ) : (
        <CodeView label={text.responseBody} code={attempt.response_body} json />
      )}
      {headers !== "" && <CodeView label={text.requestHeaders} code={headers} note={text.redacted} />}
    </div>
  );
}

/** What went wrong and what to do about it. */
function CauseNote({ cause }: { cause: NonNullable<DeliveryAttempt["cause"]> }) {
  const words = useScreenWords();
  const { title, fix } = words.causes[cause];
  return (
    <div className="rounded-md border border-bad/25 bg-bad-soft p-3">
      <p className="flex flex-wrap items-center gap-x-2 text-sm font-semibold text-bad">
        <CircleX className="size-4" aria-hidden />
        {title}
        <code className="font-mono text-xs font-normal text-ink-soft">{cause}</code>
      </p>
      <p className="mt-2 flex items-start gap-2 text-sm text-ink">
        <Wrench className="mt-0.5 size-4 shrink-0 text-ink-faint" aria-hidden />
        <span>
          <span className="sr-only">{words.deliveries.howToFix}: </span>
          {fix}
        </span>
      </p>
    </div>
  );
}

import type { Agent, ReplyOf } from "@signalbox/contract";
import { CircleCheck, CircleX, Stethoscope } from "lucide-react";
import { useState } from "react";
import {
  Badge,
  Button,
  CopyLine,
  duration,
  EmptyState,
  Page,
  Panel,
  Problem,
  SkeletonPanel,
  Time,
} from "../../design/index.ts";
import { useAction, usePages } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import { destinationName, useDestinations } from "../deliveries/delivery-words.tsx";
import { OneAgent } from "../one-agent.tsx";

type Result = ReplyOf<"diagnoseWebhooks">["results"][number];
interface Run {
  at: number;
  results: Result[];
}

export function Check() {
  const text = useScreenWords().endpoints;
  return (
    <OneAgent title={text.check} lead={text.checkLead}>
      {(agent) => <CheckOf agent={agent} />}
    </OneAgent>
  );
}

function CheckOf({ agent: { agent_id: agentId, name } }: { agent: Agent }) {
  const text = useScreenWords().endpoints;
  const [last, setLast] = useState<Run>();
  const check = useAction("diagnoseWebhooks", {
    changes: ["listWebhookChecks"],
    onDone: ({ results }) => setLast({ at: Date.now(), results }),
  });
  return (
    <Page
      title={text.check}
      beside={<span className="text-sm text-ink-faint">{name}</span>}
      lead={text.checkLead}
      actions={
        <Button tone="primary" busy={check.isPending} onClick={() => check.mutate({ agent_id: agentId })}>
          {check.isPending ? text.checking : text.runCheck}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        {check.isError && <Problem error={check.error} />}
        {check.isPending && last === undefined && <SkeletonPanel />}
        {last === undefined && !check.isPending && !check.isError && (
          <EmptyState icon={Stethoscope} title={text.checkNone}>
            {text.checkNoneLead}
          </EmptyState>
        )}
        {last !== undefined &&
          (last.results.length === 0 ? (
            <EmptyState icon={Stethoscope} title={text.checkNoEndpoints}>
              {text.checkNoEndpointsLead}
            </EmptyState>
          ) : (
            <Results run={last} />
          ))}
        <History agentId={agentId} />
        <Panel title={text.ci}>
          <CopyLine text="signalbox check --json" />
        </Panel>
      </div>
    </Page>
  );
}

function Reachable({ isReachable }: { isReachable: boolean }) {
  const text = useScreenWords().endpoints;
  return (
    <Badge tone={isReachable ? "good" : "bad"} icon={isReachable ? CircleCheck : CircleX}>
      {isReachable ? text.reachable : text.unreachable}
    </Badge>
  );
}

function summaryOf({ results }: Run, text: ReturnType<typeof useScreenWords>["endpoints"]): string {
  const failed = results.filter(({ reachable }) => !reachable).length;
  return failed === 0 ? text.allReachable : text.someUnreachable(failed);
}

function Results({ run }: { run: Run }) {
  const words = useScreenWords();
  const text = words.endpoints;
  const { columns } = text;
  return (
    <Panel
      flush
      title={<span aria-live="polite">{summaryOf(run, text)}</span>}
      actions={<Time at={run.at} className="text-xs text-ink-faint" />}
    >
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={text.check}>
        <table className="w-full text-left text-sm sm:min-w-160">
          <thead className="border-b border-line text-xs text-ink-faint max-sm:sr-only">
            <tr>
              {[columns.endpoint, columns.result, columns.status, columns.latency, columns.cause].map(
                (label) => (
                  <th key={label} scope="col" className="px-4 py-2 font-medium">
                    {label}
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {run.results.flatMap((result) =>
              result.probes.map((probe, index) => (
                <tr
                  key={`${result.webhook_id}-${index}`}
                  className="border-t border-line align-top first:border-t-0 max-sm:flex max-sm:flex-wrap max-sm:items-center max-sm:gap-x-3 max-sm:gap-y-2 max-sm:px-4 max-sm:py-3"
                >
                  <td className="max-sm:basis-full sm:max-w-80 sm:px-4 sm:py-3">
                    <span className="block font-medium text-ink">
                      {result.component_name ?? text.message}
                    </span>
                    <span className="block font-mono text-xs wrap-anywhere text-ink-faint">{probe.url}</span>
                  </td>
                  <td className="sm:px-4 sm:py-3">
                    <Reachable isReachable={probe.http_status === 200} />
                  </td>
                  <td className="tabular sm:px-4 sm:py-3">
                    {probe.http_status === 0 ? words.deliveries.noAnswer : probe.http_status}
                  </td>
                  <td className="tabular whitespace-nowrap sm:px-4 sm:py-3">{duration(probe.latency_ms)}</td>
                  <td className="text-ink-soft max-sm:basis-full max-sm:empty:hidden sm:max-w-96 sm:px-4 sm:py-3">
                    {probe.cause !== null && (
                      <>
                        <span className="font-medium text-ink">{words.causes[probe.cause].title}.</span>{" "}
                        {words.causes[probe.cause].fix}
                      </>
                    )}
                  </td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

const SHOWN = 20;

/** The last checks: from here, with the CLI, or by the route of 4.3. */
function History({ agentId }: { agentId: string }) {
  const words = useScreenWords();
  const text = words.endpoints;
  const checks = usePages("listWebhookChecks", { agent_id: agentId, limit: SHOWN });
  const { byId: destinations } = useDestinations(agentId);
  if (checks.isError) return <Problem error={checks.error} onRetry={() => void checks.refetch()} />;
  if (checks.entries.length === 0) return null;
  return (
    <Panel title={text.history} lead={text.historyLead} flush>
      <ul>
        {checks.entries.map((check) => (
          <li
            key={check.check_id}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-4 py-2 text-sm first:border-t-0"
          >
            <Reachable isReachable={check.reachable} />
            <span className="min-w-0 flex-1 basis-40 truncate text-ink">
              {destinationName(destinations.get(check.webhook_id), words)}
              {check.cause !== null && (
                <span className="text-ink-soft"> · {words.causes[check.cause].title}</span>
              )}
            </span>
            <span className="tabular text-xs whitespace-nowrap text-ink-faint">
              {check.http_status === 0
                ? words.deliveries.noAnswer
                : words.deliveries.httpStatus(check.http_status)}
              , {duration(check.latency_ms)}
            </span>
            <Time at={check.check_time} as="short" className="text-xs text-ink-faint" />
          </li>
        ))}
      </ul>
      {checks.hasNextPage && (
        <div className="border-t border-line p-2 text-center">
          <Button
            size="sm"
            tone="quiet"
            busy={checks.isFetchingNextPage}
            onClick={() => void checks.fetchNextPage()}
          >
            {words.conversations.showMore}
          </Button>
        </div>
      )}
    </Panel>
  );
}

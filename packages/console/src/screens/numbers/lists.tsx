import type { Figures, Numbers, TopQuestion } from "@signalbox/contract";
import { Link } from "@tanstack/react-router";
import { CircleCheck, CircleHelp, Headset, MessagesSquare } from "lucide-react";
import {
  buttonClass,
  classNames,
  duration,
  EmptyState,
  Panel,
  Problem,
  SkeletonLines,
} from "../../design/index.ts";
import { useAgents, useCall } from "../../service/index.ts";
import { useScreenWords } from "../../words/index.ts";
import type { Shown } from "./search.ts";
import { answeredShare, handoffRate, offeredShare } from "./shares.ts";
import { useNumbersWords } from "./words.ts";

export interface ShareListProps {
  title: string;
  counts: readonly { name: string; count: number }[];
}

/** Counts by name, the largest first, each with its share as a bar. */
export function ShareList({ title, counts }: ShareListProps) {
  const text = useNumbersWords();
  const shown = counts.filter(({ count }) => count > 0).toSorted((one, other) => other.count - one.count);
  const sum = shown.reduce((total, { count }) => total + count, 0);
  return (
    <Panel flush title={title}>
      {shown.length === 0 ? (
        <EmptyState icon={Headset} title={text.noHandoffs} />
      ) : (
        <ul className="py-1">
          {shown.map(({ name, count }) => (
            <li key={name} className="px-4 py-2">
              <p className="flex items-baseline gap-2 text-sm">
                <span className="min-w-0 flex-1 text-ink">{name}</span>
                <span className="tabular text-ink-soft">{count.toLocaleString()}</span>
                <span className="tabular w-10 text-right text-xs text-ink-faint">
                  {Math.round((count / sum) * 100)}%
                </span>
              </p>
              <span className="mt-1 block h-1 overflow-hidden rounded-full bg-hover" aria-hidden>
                <span
                  className="block h-full rounded-full bg-chart-1"
                  style={{ width: `${(count / sum) * 100}%` }}
                />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** The same figures by channel, language and agent. */
export function Split({ numbers }: { numbers: Numbers }) {
  const text = useNumbersWords();
  const words = useScreenWords();
  const { byId } = useAgents();
  const groups: { label: string; rows: { key: string; name: string; figures: Figures }[] }[] = [
    {
      label: text.channel,
      rows: numbers.channels.map((one) => ({
        key: one.channel,
        name: text.channels[one.channel],
        figures: one,
      })),
    },
    {
      label: text.language,
      rows: numbers.languages.map((one) => ({
        key: one.language,
        name: text.languages[one.language],
        figures: one,
      })),
    },
    {
      label: text.agent,
      rows: numbers.agents.map((one) => ({
        key: one.agent_id,
        name: byId.get(one.agent_id)?.name ?? words.common.unknownAgent,
        figures: one,
      })),
    },
  ];
  const percent = (share: number | null) => (share === null ? text.noData : `${Math.round(share * 100)}%`);
  const headings = [
    text.of,
    text.conversations,
    text.answered,
    text.offered,
    text.handoffs,
    text.handoffRate,
    text.firstReply,
  ];
  return (
    <Panel flush title={text.split}>
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={text.split}>
        <table className="tabular w-full min-w-160 text-left text-sm">
          <thead className="border-b border-line text-xs text-ink-faint">
            <tr>
              {headings.map((label, at) => (
                <th
                  key={label}
                  scope="col"
                  className={classNames("px-4 py-2 font-medium", at > 0 && "text-right")}
                >
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          {groups.map(({ label, rows }) => (
            <tbody key={label} className="border-t border-line first:border-t-0">
              <tr>
                <th
                  scope="rowgroup"
                  colSpan={headings.length}
                  className="px-4 pt-3 pb-1 text-2xs font-medium text-ink-faint"
                >
                  {label}
                </th>
              </tr>
              {rows.map(({ key, name, figures }) => (
                <tr key={key}>
                  <th scope="row" className="px-4 py-1.5 font-normal text-ink">
                    {name}
                  </th>
                  <td className="px-4 py-1.5 text-right">{figures.conversations.toLocaleString()}</td>
                  <td className="px-4 py-1.5 text-right">{percent(answeredShare(figures))}</td>
                  <td className="px-4 py-1.5 text-right">{percent(offeredShare(figures))}</td>
                  <td className="px-4 py-1.5 text-right">{figures.handoffs.toLocaleString()}</td>
                  <td className="px-4 py-1.5 text-right">{percent(handoffRate(figures))}</td>
                  <td className="px-4 py-1.5 text-right">
                    {figures.first_reply.median_ms === null
                      ? text.noData
                      : duration(figures.first_reply.median_ms)}
                  </td>
                </tr>
              ))}
            </tbody>
          ))}
        </table>
      </div>
    </Panel>
  );
}

/** What users asked, and what found no answer: of one agent, because that is whose knowledge can be mended. */
export function Questions({ agentId, range }: { agentId: string | undefined; range: Shown }) {
  const text = useNumbersWords();
  const { from_time, to_time } = range;
  const input = { agent_id: agentId ?? "", from_time, to_time };
  const top = useCall("listTopQuestions", input, { enabled: agentId !== undefined });
  if (agentId === undefined)
    return (
      <Panel title={text.asked}>
        <p className="text-sm text-ink-soft">{text.chooseAgent}</p>
      </Panel>
    );
  if (top.isError) return <Problem error={top.error} onRetry={() => void top.refetch()} />;
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Panel flush title={text.asked} lead={top.data?.is_partial === true ? text.partial : text.askedLead}>
        <QuestionList questions={top.data?.asked} icon={MessagesSquare} none={text.noAsked} />
      </Panel>
      <Panel
        flush
        title={text.unanswered}
        lead={text.unansweredLead}
        actions={
          <Link to="/unanswered" search={{ agent: agentId }} className={buttonClass({ size: "sm" })}>
            <CircleHelp className="size-3.5" aria-hidden />
            {text.teach}
          </Link>
        }
      >
        <QuestionList questions={top.data?.unanswered} icon={CircleCheck} none={text.noUnanswered} />
      </Panel>
    </div>
  );
}

interface QuestionListProps {
  questions: readonly TopQuestion[] | undefined;
  icon: typeof CircleCheck;
  none: string;
}

function QuestionList({ questions, icon, none }: QuestionListProps) {
  const text = useNumbersWords();
  if (questions === undefined) return <SkeletonLines className="p-4" lines={6} />;
  if (questions.length === 0) return <EmptyState icon={icon} title={none} />;
  return (
    <ol className="py-1">
      {questions.map(({ question, asked }) => (
        <li key={question} className="flex items-baseline gap-3 px-4 py-2 text-sm">
          <span className="min-w-0 flex-1 break-words text-ink">{question}</span>
          <span className="tabular shrink-0 text-xs text-ink-soft">{text.times(asked)}</span>
        </li>
      ))}
    </ol>
  );
}

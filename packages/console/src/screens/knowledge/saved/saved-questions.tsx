import type { Agent, SavedQuestion, SavedQuestionRun } from "@signalbox/contract";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowDown, ArrowUp, BookmarkCheck, CircleCheck, CircleX, Play, Trash2 } from "lucide-react";
import { type ReactNode, useEffect, useMemo } from "react";
import {
  Badge,
  Button,
  buttonClass,
  type Column,
  DataTable,
  EmptyState,
  IconButton,
  Page,
  Problem,
  showProblem,
  showToast,
  Switch,
  Time,
} from "../../../design/index.ts";
import { useAccess, useAction, useCall, usePages } from "../../../service/index.ts";
import { useWords } from "../../../words/index.ts";
import { OneAgent } from "../../one-agent.tsx";
import { useMayEdit } from "../use-pair-actions.ts";
import { useSavedWords } from "./words.ts";

const idOf = (question: SavedQuestion) => question.saved_question_id;
const LOOK_EVERY_MS = 1_000;

/** What should be answered how, and whether it still is. */
export function SavedQuestions() {
  const text = useSavedWords();
  return (
    <OneAgent layout="full" title={text.title} lead={text.lead}>
      {(agent) => <SavedQuestionsOf agent={agent} />}
    </OneAgent>
  );
}

function SavedQuestionsOf({ agent }: { agent: Agent }) {
  const text = useSavedWords();
  const { agent_id } = agent;
  const questions = usePages("listSavedQuestions", { agent_id });
  const { last, isRunning, runs, isKnown } = useRuns(agent_id);
  const mayEdit = useMayEdit(agent_id);
  const run = useAction("runSavedQuestions", { changes: ["listSavedQuestionRuns"] });
  const words = useWords();
  const columns = useColumns(agent_id, mayEdit);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = questions;
  return (
    <Page
      layout="full"
      title={text.title}
      beside={<span className="text-sm text-ink-faint">{agent.name}</span>}
      lead={text.lead}
      actions={
        <Button
          tone="primary"
          disabled={!mayEdit || questions.entries.length === 0}
          busy={isRunning || run.isPending}
          icon={<Play className="size-3.5" aria-hidden />}
          onClick={() => run.mutate({ agent_id }, { onError: (failure) => showProblem(failure, words) })}
        >
          {isRunning ? text.running : text.run}
        </Button>
      }
    >
      {questions.isError ? (
        <Problem error={questions.error} onRetry={() => void questions.refetch()} />
      ) : (
        <>
          <div className="flex shrink-0 flex-wrap items-center gap-x-6 gap-y-2 px-4 pb-3 sm:px-6">
            {isKnown && <LastRun run={last} />}
            <HoldSwitch agent={agent} />
          </div>
          <DataTable
            label={text.title}
            columns={columns}
            rows={questions.entries}
            idOf={idOf}
            loading={questions.isPending}
            compact={(question) => (
              <CompactRow question={question}>
                {mayEdit && <DeleteButton agentId={agent_id} question={question} />}
              </CompactRow>
            )}
            onEnd={hasNextPage ? () => void fetchNextPage() : undefined}
            loadingMore={isFetchingNextPage}
            empty={
              <EmptyState
                icon={BookmarkCheck}
                title={text.none}
                actions={
                  <Link to="/knowledge" className={buttonClass()}>
                    {text.tryIt}
                  </Link>
                }
              >
                {text.noneLead}
              </EmptyState>
            }
          />
          {runs.length > 0 && <Runs runs={runs} />}
        </>
      )}
    </Page>
  );
}

/** Looked at again while one is under way; its results are those of the questions. */
function useRuns(agentId: string) {
  const queries = useQueryClient();
  const input = { agent_id: agentId, limit: 20 };
  const first = useCall("listSavedQuestionRuns", input);
  const isRunning = first.data?.list.some(({ state }) => state === "waiting") ?? false;
  useCall("listSavedQuestionRuns", input, { enabled: isRunning, refetchMs: LOOK_EVERY_MS });
  const runs = first.data?.list ?? [];
  const last = runs.find(({ state, held }) => state === "finished" && !held);
  const lastId = last?.run_id;
  useEffect(() => {
    if (lastId !== undefined) void queries.invalidateQueries({ queryKey: ["listSavedQuestions"] });
  }, [queries, lastId]);
  return { last, isRunning, runs, isKnown: first.isSuccess };
}

function LastRun({ run }: { run: SavedQuestionRun | undefined }) {
  const text = useSavedWords();
  if (run === undefined) return <p className="text-sm text-ink-faint">{text.noRun}</p>;
  const isWell = run.passed === run.total;
  return (
    <p className="flex flex-wrap items-center gap-2 text-sm text-ink" aria-live="polite">
      <Badge tone={isWell ? "good" : "bad"} icon={isWell ? CircleCheck : CircleX}>
        {text.ran(run.passed, run.total)}
      </Badge>
      <Changes run={run} />
      <Time at={run.create_time} className="text-xs text-ink-faint" />
    </p>
  );
}

function Changes({ run }: { run: SavedQuestionRun }) {
  const text = useSavedWords();
  return (
    <>
      {run.better > 0 && (
        <Badge tone="good" icon={ArrowUp}>
          {text.better(run.better)}
        </Badge>
      )}
      {run.worse > 0 && (
        <Badge tone="bad" icon={ArrowDown}>
          {text.worse(run.worse)}
        </Badge>
      )}
    </>
  );
}

function HoldSwitch({ agent }: { agent: Agent }) {
  const text = useSavedWords();
  const words = useWords();
  const { may } = useAccess();
  const update = useAction("updateAgent", { changes: ["listAgents"] });
  const { agent_id, hold_failing_imports: checked } = agent;
  if (!may("updateAgent", agent_id))
    return <p className="text-xs text-ink-faint">{checked ? text.holdOn : text.holdOff}</p>;
  return (
    <Switch
      label={text.hold}
      help={text.holdHelp}
      checked={checked}
      onChange={(hold_failing_imports) =>
        update.mutate({ agent_id, hold_failing_imports }, { onError: (error) => showProblem(error, words) })
      }
    />
  );
}

function useColumns(agentId: string, mayEdit: boolean): readonly Column<SavedQuestion>[] {
  const text = useSavedWords();
  const { columns } = text;
  return useMemo(
    () => [
      {
        id: "question",
        width: "minmax(10rem,1.4fr)",
        header: columns.question,
        cell: ({ question }) => <span className="truncate font-medium text-ink">{question}</span>,
      },
      {
        id: "result",
        width: "8.5rem",
        header: columns.result,
        cell: (question) => <Result question={question} />,
      },
      {
        id: "expected",
        width: "minmax(8rem,1.2fr)",
        header: columns.expected,
        cell: ({ expected }) => (
          <span className="truncate text-ink-soft">{expected?.question ?? text.noAnswer}</span>
        ),
      },
      {
        id: "got",
        width: "minmax(8rem,1.2fr)",
        from: "lg",
        header: columns.got,
        cell: ({ last_result }) => (
          <span className="truncate text-ink-soft">{last_result?.closest?.question}</span>
        ),
      },
      {
        id: "delete",
        width: "3rem",
        header: "",
        align: "end",
        cell: (question) => mayEdit && <DeleteButton agentId={agentId} question={question} />,
      },
    ],
    [agentId, columns, mayEdit, text],
  );
}

function Result({ question: { last_result } }: { question: SavedQuestion }) {
  const text = useSavedWords();
  if (last_result === null) return <span className="text-xs text-ink-faint">{text.results.none}</span>;
  const { passed, change } = last_result;
  const moved = change === "better" || change === "worse" ? ` · ${text.changes[change]}` : "";
  return (
    <Badge tone={passed ? "good" : "bad"} icon={passed ? CircleCheck : CircleX}>
      {(passed ? text.results.passed : text.results.failed) + moved}
    </Badge>
  );
}

function DeleteButton({ agentId, question }: { agentId: string; question: SavedQuestion }) {
  const text = useSavedWords();
  const words = useWords();
  const remove = useAction("deleteSavedQuestion", { changes: ["listSavedQuestions"] });
  return (
    <IconButton
      size="sm"
      label={text.deleteThis(question.question)}
      busy={remove.isPending}
      onClick={() =>
        remove.mutate(
          { agent_id: agentId, saved_question_id: question.saved_question_id },
          {
            onSuccess: () => showToast({ title: text.deleted }),
            onError: (error) => showProblem(error, words),
          },
        )
      }
    >
      <Trash2 className="size-3.5" aria-hidden />
    </IconButton>
  );
}

function CompactRow({ question, children }: { question: SavedQuestion; children: ReactNode }) {
  const text = useSavedWords();
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-2">
        <span className="min-w-0 truncate font-medium text-ink">{question.question}</span>
        <span className="ml-auto shrink-0">
          <Result question={question} />
        </span>
      </div>
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate text-xs text-ink-soft">
          {question.expected?.question ?? text.noAnswer}
        </span>
        {children}
      </div>
    </div>
  );
}

const SHOWN_RUNS = 5;

function Runs({ runs }: { runs: readonly SavedQuestionRun[] }) {
  const text = useSavedWords();
  return (
    <section className="shrink-0 border-t border-line px-4 py-3 sm:px-6">
      <h2 className="text-sm font-semibold text-ink">{text.runs}</h2>
      <ul className="mt-2 flex flex-col gap-1.5">
        {runs.slice(0, SHOWN_RUNS).map((run) => (
          <li key={run.run_id} className="flex flex-wrap items-center gap-2 text-xs text-ink-soft">
            <Time at={run.create_time} className="text-ink-faint" />
            <span>{text.triggers[run.trigger]}</span>
            <span className="text-ink">
              {run.state === "waiting"
                ? text.running
                : run.state === "failed"
                  ? text.runFailed
                  : text.ran(run.passed, run.total)}
            </span>
            <Changes run={run} />
            {run.held && <Badge tone="warn">{text.held}</Badge>}
          </li>
        ))}
      </ul>
    </section>
  );
}

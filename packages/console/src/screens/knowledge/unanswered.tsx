import type { UnansweredQuestion } from "@signalbox/contract";
import { useSearch } from "@tanstack/react-router";
import { CircleHelp } from "lucide-react";
import { useMemo, useState } from "react";
import { type Column, DataTable, EmptyState, Page, Problem, RowButton, Time } from "../../design/index.ts";
import { chooseAgent, useAgents, usePages } from "../../service/index.ts";
import { AnswerDrawer } from "./answer-drawer.tsx";
import { useMayEdit } from "./use-pair-actions.ts";
import { useKnowledgeWords } from "./words.ts";

const idOf = (question: UnansweredQuestion) => question.question_id;

/** What the knowledge lacks, as users asked for it. */
export function Unanswered() {
  const text = useKnowledgeWords().unanswered;
  const { agent: asked } = useSearch({ from: "__root__" });
  const { agents, isPending: agentsPending, isError: agentsFailed, error, refetch } = useAgents();
  const agent = chooseAgent(agents, asked);
  const agent_id = agent?.agent_id ?? "";
  const questions = usePages("listUnansweredQuestions", { agent_id }, { enabled: agent !== undefined });
  const mayEdit = useMayEdit(agent_id);
  const [open, setOpen] = useState<UnansweredQuestion>();
  const columns = useColumns(setOpen);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = questions;
  const isPending = agentsPending || (agent !== undefined && questions.isPending);
  return (
    <Page
      layout="full"
      title={text.title}
      beside={agent !== undefined && <span className="text-sm text-ink-faint">{agent.name}</span>}
      lead={text.lead}
    >
      {agentsFailed || questions.isError ? (
        <Problem
          error={agentsFailed ? error : questions.error}
          onRetry={() => void (agentsFailed ? refetch() : questions.refetch())}
        />
      ) : (
        <DataTable
          label={text.title}
          columns={columns}
          rows={questions.entries}
          idOf={idOf}
          loading={isPending}
          compact={(question) => <CompactRow question={question} onOpen={setOpen} />}
          onEnd={hasNextPage ? () => void fetchNextPage() : undefined}
          loadingMore={isFetchingNextPage}
          empty={
            <EmptyState icon={CircleHelp} title={text.none}>
              {text.noneLead}
            </EmptyState>
          }
        />
      )}
      {open !== undefined && (
        <AnswerDrawer
          key={open.question_id}
          agentId={agent_id}
          question={open}
          mayEdit={mayEdit}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Page>
  );
}

type Open = (question: UnansweredQuestion) => void;

function useColumns(onOpen: Open): readonly Column<UnansweredQuestion>[] {
  const text = useKnowledgeWords().unanswered;
  const { columns } = text;
  return useMemo(
    () => [
      {
        id: "question",
        width: "minmax(10rem,2fr)",
        header: columns.question,
        cell: (question) => <QuestionLink question={question} onOpen={onOpen} />,
      },
      {
        id: "asked",
        width: "6rem",
        align: "end",
        header: columns.asked,
        cell: ({ asked }) => <span className="tabular">{text.times(asked)}</span>,
      },
      {
        id: "nearest",
        width: "minmax(8rem,1.4fr)",
        from: "lg",
        header: columns.nearest,
        cell: ({ best_question }) => <span className="truncate text-ink-soft">{best_question}</span>,
      },
      {
        id: "last",
        width: "6.5rem",
        from: "md",
        align: "end",
        header: columns.last,
        cell: ({ last_time }) => <Time at={last_time} className="text-ink-soft" />,
      },
    ],
    [columns, onOpen, text],
  );
}

/** As text, whatever it holds: users wrote it. */
function QuestionLink({ question, onOpen }: { question: UnansweredQuestion; onOpen: Open }) {
  return (
    <RowButton onClick={() => onOpen(question)} className="min-w-0 truncate text-left font-medium">
      {question.question}
    </RowButton>
  );
}

function CompactRow({ question, onOpen }: { question: UnansweredQuestion; onOpen: Open }) {
  const text = useKnowledgeWords().unanswered;
  return (
    <div className="flex flex-col gap-1">
      <QuestionLink question={question} onOpen={onOpen} />
      <span className="flex items-center gap-2 text-xs text-ink-soft">
        {text.times(question.asked)}
        <Time at={question.last_time} className="ml-auto text-ink-faint" />
      </span>
    </div>
  );
}

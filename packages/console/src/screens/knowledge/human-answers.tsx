import type { HumanAnswer } from "@signalbox/contract";
import { Link } from "@tanstack/react-router";
import { MessagesSquare, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import {
  Button,
  type Column,
  DataTable,
  Drawer,
  EmptyState,
  Problem,
  RowButton,
  showProblem,
  showToast,
  Time,
} from "../../design/index.ts";
import { useAction, usePages } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { draftOf, PairForm } from "./pair-form.tsx";
import { PAIR_CHANGES, useMayEdit } from "./use-pair-actions.ts";
import { useKnowledgeWords } from "./words.ts";

const idOf = (answer: HumanAnswer) => answer.answer_id;

/** What humans answered in handoffs. Nothing of it is published before somebody says so. */
export function HumanAnswers({ agentId }: { agentId: string }) {
  const text = useKnowledgeWords().humans;
  const answers = usePages("listHumanAnswers", { agent_id: agentId });
  const [open, setOpen] = useState<HumanAnswer>();
  const columns = useColumns(setOpen);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = answers;
  if (answers.isError) return <Problem error={answers.error} onRetry={() => void answers.refetch()} />;
  return (
    <>
      <DataTable
        label={text.title}
        columns={columns}
        rows={answers.entries}
        idOf={idOf}
        loading={answers.isPending}
        compact={(answer) => <CompactRow answer={answer} onOpen={setOpen} />}
        onEnd={hasNextPage ? () => void fetchNextPage() : undefined}
        loadingMore={isFetchingNextPage}
        empty={
          <EmptyState icon={MessagesSquare} title={text.none}>
            {text.noneLead}
          </EmptyState>
        }
      />
      {open !== undefined && (
        <AcceptDrawer
          key={open.answer_id}
          agentId={agentId}
          answer={open}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

const FORM = "human-answer";
const CHANGES = [...PAIR_CHANGES, "listHumanAnswers"] as const;

interface AcceptDrawerProps {
  agentId: string;
  answer: HumanAnswer;
  onClose: () => void;
}

function AcceptDrawer({ agentId, answer, onClose }: AcceptDrawerProps) {
  const words = useWords();
  const text = useKnowledgeWords();
  const mayEdit = useMayEdit(agentId);
  const [draft, setDraft] = useState(() =>
    draftOf({ question: answer.question, answer: answer.answer, alternates: [], tags: [] }),
  );
  const accept = useAction("acceptHumanAnswer", { changes: CHANGES });
  const dismiss = useAction("dismissHumanAnswer", { changes: CHANGES });
  const named = { agent_id: agentId, answer_id: answer.answer_id };
  const finish = (title: string) => {
    showToast({ title });
    onClose();
  };
  return (
    <Drawer open title={text.humans.review} onOpenChange={onClose}>
      <div className="flex flex-col gap-5 p-4 sm:p-6">
        <p className="text-sm text-ink-soft">
          {text.humans.masked}{" "}
          <Link
            to="/conversations/$agentId/$conversationId"
            params={{ agentId, conversationId: answer.conversation_id }}
            className="text-accent underline"
          >
            {text.humans.conversation}
          </Link>
        </p>
        {mayEdit ? (
          <>
            <PairForm
              id={FORM}
              draft={draft}
              onDraft={setDraft}
              readOnly={false}
              onSave={async (pair) => {
                await accept.mutateAsync({ ...named, ...pair });
                finish(text.humans.accepted);
              }}
            />
            <div className="flex flex-wrap items-center gap-2">
              <Button tone="primary" type="submit" form={FORM} busy={accept.isPending}>
                {text.humans.accept}
              </Button>
              <Button
                className="ml-auto"
                busy={dismiss.isPending}
                icon={<Trash2 className="size-3.5" aria-hidden />}
                onClick={() =>
                  dismiss.mutate(named, {
                    onSuccess: () => finish(text.humans.dismissed),
                    onError: (error) => showProblem(error, words),
                  })
                }
              >
                {text.unanswered.dismiss}
              </Button>
            </div>
          </>
        ) : (
          <p className="text-sm text-ink-soft">{text.readOnly}</p>
        )}
      </div>
    </Drawer>
  );
}

type Open = (answer: HumanAnswer) => void;

function useColumns(onOpen: Open): readonly Column<HumanAnswer>[] {
  const { columns } = useKnowledgeWords();
  return useMemo(
    () => [
      {
        id: "question",
        width: "minmax(10rem,1.2fr)",
        header: columns.question,
        cell: (answer) => <AnswerLink answer={answer} onOpen={onOpen} />,
      },
      {
        id: "answer",
        width: "minmax(10rem,1.8fr)",
        header: columns.answer,
        cell: ({ answer }) => <span className="truncate text-ink-soft">{answer}</span>,
      },
      {
        id: "time",
        width: "6.5rem",
        from: "md",
        align: "end",
        header: columns.changed,
        cell: ({ time }) => <Time at={time} className="text-ink-soft" />,
      },
    ],
    [columns, onOpen],
  );
}

function AnswerLink({ answer, onOpen }: { answer: HumanAnswer; onOpen: Open }) {
  return (
    <RowButton onClick={() => onOpen(answer)} className="min-w-0 truncate text-left font-medium">
      {answer.question}
    </RowButton>
  );
}

function CompactRow({ answer, onOpen }: { answer: HumanAnswer; onOpen: Open }) {
  return (
    <div className="flex flex-col gap-1">
      <AnswerLink answer={answer} onOpen={onOpen} />
      <span className="truncate text-xs text-ink-soft">{answer.answer}</span>
    </div>
  );
}

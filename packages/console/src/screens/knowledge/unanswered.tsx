import type { Agent, QuestionGroup } from "@signalbox/contract";
import { Link } from "@tanstack/react-router";
import { CircleHelp, Lightbulb, ThumbsDown } from "lucide-react";
import { useMemo, useState } from "react";
import {
  Badge,
  Button,
  buttonClass,
  type Column,
  DataTable,
  EmptyState,
  Page,
  Problem,
  RowButton,
  Time,
} from "../../design/index.ts";
import { usePages } from "../../service/index.ts";
import { OneAgent } from "../one-agent.tsx";
import { AnswerDrawer, proposalOf } from "./answer-drawer.tsx";
import { HumanAnswers } from "./human-answers.tsx";
import { useMayEdit } from "./use-pair-actions.ts";
import { useKnowledgeWords } from "./words.ts";

const VIEWS = ["asked", "humans"] as const;

const idOf = (group: QuestionGroup) => group.question_id;

/** What the knowledge lacks: as users asked for it, and as humans answered it. */
export function Unanswered() {
  const text = useKnowledgeWords().unanswered;
  return (
    <OneAgent layout="full" title={text.title} lead={text.lead}>
      {(agent) => <UnansweredOf agent={agent} />}
    </OneAgent>
  );
}

function UnansweredOf({ agent: { agent_id: agentId, name } }: { agent: Agent }) {
  const text = useKnowledgeWords().unanswered;
  const [view, setView] = useState<(typeof VIEWS)[number]>("asked");
  return (
    <Page
      layout="full"
      title={text.title}
      beside={<span className="text-sm text-ink-faint">{name}</span>}
      lead={text.lead}
    >
      <div role="group" aria-label={text.title} className="flex shrink-0 gap-1 px-4 pb-3 sm:px-6">
        {VIEWS.map((one) => (
          <Button
            key={one}
            size="sm"
            tone={one === view ? "plain" : "quiet"}
            aria-pressed={one === view}
            onClick={() => setView(one)}
          >
            {text.views[one]}
          </Button>
        ))}
      </div>
      {view === "asked" ? <Groups agentId={agentId} /> : <HumanAnswers agentId={agentId} />}
    </Page>
  );
}

function Groups({ agentId }: { agentId: string }) {
  const text = useKnowledgeWords().unanswered;
  const groups = usePages("listQuestionGroups", { agent_id: agentId });
  const mayEdit = useMayEdit(agentId);
  const [open, setOpen] = useState<QuestionGroup>();
  const columns = useColumns(setOpen);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = groups;
  if (groups.isError) return <Problem error={groups.error} onRetry={() => void groups.refetch()} />;
  return (
    <>
      <DataTable
        label={text.title}
        columns={columns}
        rows={groups.entries}
        idOf={idOf}
        loading={groups.isPending}
        compact={(group) => <CompactRow group={group} onOpen={setOpen} />}
        onEnd={hasNextPage ? () => void fetchNextPage() : undefined}
        loadingMore={isFetchingNextPage}
        empty={
          <EmptyState
            icon={CircleHelp}
            title={text.none}
            actions={
              <Link to="/knowledge" search={{ agent: agentId }} className={buttonClass({})}>
                {text.openKnowledge}
              </Link>
            }
          >
            {text.noneLead}
          </EmptyState>
        }
      />
      {open !== undefined && (
        <AnswerDrawer
          key={open.question_id}
          agentId={agentId}
          group={open}
          mayEdit={mayEdit}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

type Open = (group: QuestionGroup) => void;

function useColumns(onOpen: Open): readonly Column<QuestionGroup>[] {
  const text = useKnowledgeWords().unanswered;
  const { columns } = text;
  return useMemo(
    () => [
      {
        id: "question",
        width: "minmax(10rem,2fr)",
        header: columns.question,
        cell: (group) => <GroupLink group={group} onOpen={onOpen} />,
      },
      {
        id: "nearest",
        width: "minmax(8rem,1.4fr)",
        from: "lg",
        header: columns.nearest,
        cell: ({ best_question }) => <span className="truncate text-ink-soft">{best_question}</span>,
      },
      {
        id: "asked",
        width: "6rem",
        align: "end",
        header: columns.asked,
        cell: ({ asked }) => <span className="tabular">{asked > 0 && text.times(asked)}</span>,
      },
      {
        id: "phrasings",
        width: "8rem",
        align: "end",
        from: "md",
        header: columns.phrasings,
        cell: ({ phrasings }) =>
          phrasings > 1 && <span className="text-ink-soft tabular">{text.phrasings(phrasings)}</span>,
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
function GroupLink({ group, onOpen }: { group: QuestionGroup; onOpen: Open }) {
  const text = useKnowledgeWords().unanswered;
  return (
    <span className="flex min-w-0 items-center gap-2">
      <RowButton onClick={() => onOpen(group)} className="min-w-0 truncate text-left font-medium">
        {group.question}
      </RowButton>
      {group.poorly_rated > 0 && (
        <Badge tone="bad" icon={ThumbsDown} className="shrink-0">
          {text.poorlyRated(group.poorly_rated)}
        </Badge>
      )}
      {proposalOf(group) !== undefined && (
        <Badge icon={Lightbulb} className="shrink-0">
          {text.proposed}
        </Badge>
      )}
    </span>
  );
}

function CompactRow({ group, onOpen }: { group: QuestionGroup; onOpen: Open }) {
  const text = useKnowledgeWords().unanswered;
  return (
    <div className="flex flex-col gap-1">
      <GroupLink group={group} onOpen={onOpen} />
      <span className="flex items-center gap-2 text-xs text-ink-soft">
        {group.asked > 0 && text.times(group.asked)}
        {group.phrasings > 1 && <span>{text.phrasings(group.phrasings)}</span>}
        <Time at={group.last_time} className="ml-auto text-ink-faint" />
      </span>
    </div>
  );
}

import type { Agent, KnowledgeDocument, Pair } from "@signalbox/contract";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { BookOpen, MessageCircleQuestion, Plus } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import {
  Badge,
  Button,
  type Column,
  DataTable,
  EmptyState,
  Page,
  Problem,
  RowButton,
  Time,
} from "../../design/index.ts";
import { useCall, usePages } from "../../service/index.ts";
import { OneAgent } from "../one-agent.tsx";
import { DocumentHistory } from "./document-history.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { KnowledgeFilters } from "./filters.tsx";
import { FileIntake } from "./import/file-intake.tsx";
import { ImportDrawer } from "./import/import-drawer.tsx";
import { PairDrawer } from "./pair-drawer.tsx";
import { TagBar } from "./tag-bar.tsx";
import { TickAll, TickBox, type Ticks, useTicks } from "./ticks.tsx";
import { TryDrawer } from "./try-drawer.tsx";
import type { KnowledgeSearch } from "./search.ts";
import { useMayEdit, usePairActions } from "./use-pair-actions.ts";
import { useKnowledgeWords } from "./words.ts";

const idOf = (pair: Pair) => pair.pair_id;

/** Every question of an agent with its answer, to be found and put right one at a time. */
export function Knowledge() {
  const text = useKnowledgeWords();
  return (
    <OneAgent layout="full" title={text.title} lead={text.lead}>
      {(agent) => <KnowledgeOf agent={agent} />}
    </OneAgent>
  );
}

function KnowledgeOf({ agent: { agent_id, name } }: { agent: Agent }) {
  const text = useKnowledgeWords();
  const navigate = useNavigate({ from: "/knowledge" });
  const { base, doc, text: sought, tag } = useSearch({ from: "/knowledge" });
  const pairs = usePages("listPairs", { agent_id, knowledge_base_id: base, doc_id: doc, text: sought, tag });
  const known = useCall("listPairTags", { agent_id, knowledge_base_id: base, doc_id: doc });
  const tags = useMemo(() => known.data?.list.map((one) => one.tag) ?? [], [known.data]);
  const actions = usePairActions(agent_id);
  const mayEdit = useMayEdit(agent_id);
  const [open, setOpen] = useState<Pair | "new">();
  const [tries, setTries] = useState(false);
  const [history, setHistory] = useState<KnowledgeDocument>();
  const [file, setFile] = useState<File>();
  const ticks = useTicks(pairs.entries);
  const hasTags = tags.length > 0;
  const columns = useColumns({ onOpen: setOpen, ticks: mayEdit ? ticks : undefined, hasTags });
  const change = useCallback(
    (changed: KnowledgeSearch) =>
      void navigate({ search: (before) => ({ ...before, ...changed }), replace: true }),
    [navigate],
  );
  const buttons = (
    <>
      <Button
        icon={<MessageCircleQuestion className="size-3.5" aria-hidden />}
        onClick={() => setTries(true)}
      >
        {text.tryIt}
      </Button>
      <ExportMenu agentId={agent_id} place={{ knowledge_base_id: base, doc_id: doc }} />
      <FileIntake disabled={!mayEdit || file !== undefined} onFile={setFile} />
      <Button
        tone="primary"
        disabled={!mayEdit}
        icon={<Plus className="size-3.5" aria-hidden />}
        onClick={() => setOpen("new")}
      >
        {text.add}
      </Button>
    </>
  );
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pairs;
  return (
    <Page
      layout="full"
      title={text.title}
      beside={<span className="text-sm text-ink-faint">{name}</span>}
      lead={text.lead}
      actions={buttons}
    >
      <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 px-4 pb-3 sm:px-6">
        <KnowledgeFilters
          agentId={agent_id}
          search={{ base, doc, text: sought, tag }}
          tags={tags}
          onChange={change}
          onHistory={setHistory}
        />
      </div>
      {pairs.isError ? (
        <Problem error={pairs.error} onRetry={() => void pairs.refetch()} />
      ) : (
        <DataTable
          label={text.title}
          columns={columns}
          rows={pairs.entries}
          idOf={idOf}
          loading={pairs.isPending}
          compact={(pair) => <CompactRow pair={pair} onOpen={setOpen} ticks={mayEdit ? ticks : undefined} />}
          isSelected={(pair) => open !== undefined && open !== "new" && open.pair_id === pair.pair_id}
          onEnd={hasNextPage ? () => void fetchNextPage() : undefined}
          loadingMore={isFetchingNextPage}
          empty={
            sought === undefined && tag === undefined ? (
              <EmptyState icon={BookOpen} title={text.emptyTitle}>
                {text.emptyLead}
              </EmptyState>
            ) : (
              <EmptyState icon={BookOpen} title={text.emptyFiltered}>
                {sought === undefined ? undefined : text.emptyFilteredLead}
              </EmptyState>
            )
          }
        />
      )}
      {ticks.selected.length > 0 && (
        <TagBar agentId={agent_id} selected={ticks.selected} known={tags} onClear={ticks.clear} />
      )}
      {tries && (
        <TryDrawer agentId={agent_id} baseId={base} onEdit={setOpen} onClose={() => setTries(false)} />
      )}
      {history !== undefined && (
        <DocumentHistory
          agentId={agent_id}
          document={history}
          mayEdit={mayEdit}
          onClose={() => setHistory(undefined)}
        />
      )}
      {file !== undefined && (
        <ImportDrawer
          agentId={agent_id}
          file={file}
          place={{ knowledge_base_id: base }}
          onShow={(documentId) => {
            setFile(undefined);
            change({ doc: documentId, text: undefined, tag: undefined });
          }}
          onClose={() => setFile(undefined)}
        />
      )}
      {open !== undefined && (
        <PairDrawer
          key={open === "new" ? "new" : `${open.pair_id} ${open.version}`}
          agentId={agent_id}
          pair={open === "new" ? undefined : open}
          place={{ doc_id: doc, knowledge_base_id: doc === undefined ? base : undefined }}
          mayEdit={mayEdit}
          actions={actions}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Page>
  );
}

interface ColumnChoice {
  onOpen: (pair: Pair) => void;
  ticks: Ticks | undefined;
  /** A base without tags has no column for them. */
  hasTags: boolean;
}

function useColumns({ onOpen, ticks, hasTags }: ColumnChoice): readonly Column<Pair>[] {
  const text = useKnowledgeWords();
  const { columns } = text;
  return useMemo(
    () => [
      ...(ticks === undefined
        ? []
        : [
            {
              id: "ticked",
              width: "1.5rem",
              header: <TickAll ticks={ticks} />,
              cell: (pair: Pair) => <TickBox pair={pair} ticks={ticks} />,
            },
          ]),
      {
        id: "question",
        width: "minmax(10rem,1.4fr)",
        header: columns.question,
        cell: (pair) => <PairLink pair={pair} onOpen={onOpen} />,
      },
      {
        id: "answer",
        width: "minmax(10rem,1.5fr)",
        header: columns.answer,
        cell: (pair) => <span className="truncate text-ink-soft">{pair.answer}</span>,
      },
      ...(hasTags
        ? [
            {
              id: "tags",
              width: "minmax(6rem,0.65fr)",
              from: "md" as const,
              header: text.tags,
              cell: (pair: Pair) => <Tags pair={pair} />,
            },
          ]
        : []),
      {
        id: "alternates",
        width: "8.5rem",
        from: "lg",
        header: text.alternates,
        cell: ({ alternates }) =>
          alternates.length > 0 && (
            <span className="truncate text-xs text-ink-faint">{text.alternatesCount(alternates.length)}</span>
          ),
      },
      {
        id: "document",
        width: "minmax(6rem,0.65fr)",
        from: "lg",
        header: columns.document,
        cell: (pair) => <span className="truncate text-ink-soft">{pair.doc_name}</span>,
      },
      {
        id: "changed",
        width: "6.5rem",
        from: "md",
        align: "end",
        header: columns.changed,
        cell: ({ update_time }) =>
          update_time !== null && <Time at={update_time} className="text-ink-soft" />,
      },
    ],
    [columns, hasTags, onOpen, text, ticks],
  );
}

/** The whole row opens the pair. */
function PairLink({ pair, onOpen }: { pair: Pair; onOpen: (pair: Pair) => void }) {
  return (
    <RowButton onClick={() => onOpen(pair)} className="min-w-0 truncate text-left font-medium">
      {pair.question}
    </RowButton>
  );
}

/** The first, and how many more: a part of a tag says nothing. */
function Tags({ pair: { tags } }: { pair: Pair }) {
  const [first, ...others] = tags;
  if (first === undefined) return null;
  return (
    <span className="flex max-w-36 min-w-0 items-center gap-1" title={tags.join(", ")}>
      <Badge className="min-w-0">{first}</Badge>
      {others.length > 0 && (
        <span className="text-xs text-ink-faint tabular">
          <span aria-hidden>+{others.length}</span>
          <span className="sr-only">{others.join(", ")}</span>
        </span>
      )}
    </span>
  );
}

interface CompactRowProps {
  pair: Pair;
  onOpen: (pair: Pair) => void;
  ticks: Ticks | undefined;
}

function CompactRow({ pair, onOpen, ticks }: CompactRowProps) {
  return (
    <div className="flex items-center gap-3">
      {ticks !== undefined && <TickBox pair={pair} ticks={ticks} />}
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <div className="flex items-center gap-2">
          <PairLink pair={pair} onOpen={onOpen} />
          {pair.update_time !== null && (
            <Time at={pair.update_time} className="ml-auto shrink-0 text-xs text-ink-faint" />
          )}
        </div>
        <div className="flex min-w-0 items-center gap-2">
          {pair.tags.length > 0 && (
            <div className="shrink-0">
              <Tags pair={pair} />
            </div>
          )}
          <span className="truncate text-xs text-ink-soft">{pair.answer}</span>
        </div>
      </div>
    </div>
  );
}

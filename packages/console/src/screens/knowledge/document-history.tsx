import type { DocumentRevision } from "@signalbox/contract";
import { useQueryClient } from "@tanstack/react-query";
import { Download, RotateCcw } from "lucide-react";
import { useState } from "react";
import {
  Badge,
  Button,
  ConfirmDialog,
  Drawer,
  Problem,
  showProblem,
  showToast,
  SkeletonLines,
  Time,
} from "../../design/index.ts";
import { call, usePages } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { downloadRefused } from "./import/import-drawer.tsx";
import { importEnded } from "./import/upload-file.ts";
import { useImportWords } from "./import/words.ts";
import { PublishHeld } from "./saved/held-import.tsx";
import { useSavedWords } from "./saved/words.ts";
import { PAIR_CHANGES } from "./use-pair-actions.ts";
import { useKnowledgeWords } from "./words.ts";

export interface DocumentHistoryProps {
  agentId: string;
  document: { doc_id: string; doc_name: string };
  mayEdit: boolean;
  onClose: () => void;
}

type Restorable = Pick<DocumentRevision, "revision" | "pairs">;
/** As the service knows it: no import, no pairs. */
const BEFORE_FIRST_IMPORT: Restorable = { revision: 0, pairs: 0 };

/** The changes of a document, newest first; an import can be undone as a whole. */
export function DocumentHistory({ agentId, document, mayEdit, onClose }: DocumentHistoryProps) {
  const text = useKnowledgeWords().documentHistory;
  const saved = useSavedWords();
  const { common } = useWords();
  const queries = useQueryClient();
  const { doc_id, doc_name } = document;
  const revisions = usePages("listRevisions", { agent_id: agentId, doc_id });
  const [asked, setAsked] = useState<Restorable>();
  const restore = async ({ revision }: Restorable) => {
    const begun = await call("restoreRevision", { agent_id: agentId, doc_id, revision });
    const ended = await importEnded(agentId, begun);
    if (ended.state === "failed") throw new Error(ended.detail ?? text.title);
    if (ended.state === "held") showToast({ tone: "bad", title: saved.heldTitle });
    else showToast({ title: text.restored });
    const changed = [...PAIR_CHANGES, "listRevisions"];
    await Promise.all(changed.map((name) => queries.invalidateQueries({ queryKey: [name] })));
  };
  const hasPairs = revisions.entries.some(({ state, pairs }) => state === "current" && pairs > 0);
  return (
    <Drawer open title={`${text.title}${common.colon}${doc_name}`} onOpenChange={onClose}>
      <div className="p-4 sm:p-6">
        {revisions.isError ? (
          <Problem error={revisions.error} onRetry={() => void revisions.refetch()} />
        ) : revisions.isPending ? (
          <SkeletonLines lines={6} />
        ) : (
          <ol className="flex flex-col gap-3">
            {revisions.entries.map((revision) => (
              <Revision
                key={revision.revision}
                agentId={agentId}
                revision={revision}
                mayEdit={mayEdit}
                onRestore={mayEdit && revision.can_restore ? () => setAsked(revision) : undefined}
              />
            ))}
            {revisions.hasNextPage && (
              <li className="text-center">
                <Button
                  size="sm"
                  busy={revisions.isFetchingNextPage}
                  onClick={() => void revisions.fetchNextPage()}
                >
                  {text.showMore}
                </Button>
              </li>
            )}
            {!revisions.hasNextPage && (
              <Beginning onRestore={mayEdit && hasPairs ? () => setAsked(BEFORE_FIRST_IMPORT) : undefined} />
            )}
          </ol>
        )}
      </div>
      <ConfirmDialog
        open={asked !== undefined}
        onOpenChange={() => setAsked(undefined)}
        title={asked?.revision === 0 ? text.emptyTitle : text.restoreTitle}
        description={
          asked === undefined ? "" : asked.revision === 0 ? text.emptyLead : text.restoreLead(asked.pairs)
        }
        confirm={text.restore}
        tone="primary"
        onConfirm={async () => {
          if (asked !== undefined) await restore(asked);
        }}
      />
    </Drawer>
  );
}

/** Also the first import can be taken back. */
function Beginning({ onRestore }: { onRestore: (() => void) | undefined }) {
  const text = useKnowledgeWords().documentHistory;
  return (
    <li className="flex min-h-7 items-center gap-2 rounded-lg border border-dashed border-line px-4 py-3 text-sm text-ink-soft">
      {text.beginning}
      {onRestore !== undefined && (
        <span className="ml-auto">
          <RestoreButton label={text.restoreBeginning} onClick={onRestore} />
        </span>
      )}
    </li>
  );
}

function RestoreButton({ label, onClick }: { label: string; onClick: () => void }) {
  const text = useKnowledgeWords().documentHistory;
  return (
    <Button
      size="sm"
      aria-label={label}
      icon={<RotateCcw className="size-3.5" aria-hidden />}
      onClick={onClick}
    >
      {text.restore}
    </Button>
  );
}

interface RevisionProps {
  agentId: string;
  revision: DocumentRevision;
  mayEdit: boolean;
  onRestore: (() => void) | undefined;
}

function Revision({ agentId, revision, mayEdit, onRestore }: RevisionProps) {
  const saved = useSavedWords();
  const text = useKnowledgeWords().documentHistory;
  const importText = useImportWords();
  const words = useWords();
  const { change, author, state, create_time, file_name, pairs, rejected, detail } = revision;
  const download = () =>
    downloadRefused(agentId, revision, [importText.row, importText.columnHeading, importText.problem]).catch(
      (error: unknown) => showProblem(error, words),
    );
  return (
    <li className="rounded-lg border border-line bg-panel px-4 py-3 shadow-raised">
      <div className="flex min-h-7 flex-wrap items-center gap-x-2 gap-y-1 text-xs text-ink-soft">
        <Badge tone={state === "failed" ? "bad" : "neutral"}>
          {state === "failed" ? text.failed : text.changes[change]}
        </Badge>
        {state === "held" && <Badge tone="warn">{saved.held}</Badge>}
        {author !== null && <span>{text.by(author.actor_name ?? author.actor)}</span>}
        <Time at={create_time} className="text-ink-faint" />
        <span className="ml-auto">
          {state === "current" ? (
            <Badge tone="accent">{text.current}</Badge>
          ) : state === "held" && mayEdit ? (
            <PublishHeld agentId={agentId} revision={revision} onPublished={() => undefined} />
          ) : (
            onRestore !== undefined && (
              <RestoreButton label={text.restoreThis(revision.revision)} onClick={onRestore} />
            )
          )}
        </span>
      </div>
      <p className="mt-1 text-sm wrap-anywhere text-ink">
        {state === "failed" || state === "held"
          ? detail
          : [text.pairs(pairs), file_name].filter((part) => part !== null).join(" · ")}
      </p>
      {rejected > 0 && (
        <Button
          size="sm"
          tone="quiet"
          className="mt-1"
          icon={<Download className="size-3.5" aria-hidden />}
          onClick={() => void download()}
        >
          {importText.download(rejected)}
        </Button>
      )}
    </li>
  );
}

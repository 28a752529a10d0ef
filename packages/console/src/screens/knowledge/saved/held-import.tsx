import type { DocumentRevision, SavedQuestionResult } from "@signalbox/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button, ConfirmDialog, showToast } from "../../../design/index.ts";
import { call, useCall } from "../../../service/index.ts";
import { useWords } from "../../../words/index.ts";
import { PAIR_CHANGES } from "../use-pair-actions.ts";
import { useSavedWords } from "./words.ts";

export interface HeldImportProps {
  agentId: string;
  revision: DocumentRevision;
  onPublished: () => void;
}

/** Why an import waits, question by question, and a way to publish it all the same. */
export function HeldImport({ agentId, revision, onPublished }: HeldImportProps) {
  const text = useSavedWords();
  const { common } = useWords();
  const worse = useWorse(agentId, revision);
  return (
    <section className="flex flex-col gap-4" role="status">
      <div>
        <h2 className="text-base font-semibold text-ink">{text.heldTitle}</h2>
        <p className="mt-1 text-sm wrap-anywhere text-ink-soft">
          {worse.length > 0 ? text.heldLead(worse.length) : revision.detail}
        </p>
      </div>
      {worse.length > 0 && (
        <ul className="flex flex-col divide-y divide-line rounded-lg border border-line bg-panel shadow-raised">
          {worse.map(({ saved_question_id, question, expected, closest }) => (
            <li key={saved_question_id} className="flex flex-col gap-1 px-4 py-3 text-sm">
              <span className="font-medium wrap-anywhere text-ink">{question}</span>
              <span className="wrap-anywhere text-ink-soft">
                {expected === null ? text.noAnswer : `${text.expected}${common.colon}${expected.question}`}
              </span>
              <span className="wrap-anywhere text-ink-soft">
                {`${text.instead}${common.colon}${closest?.question ?? text.nothingClose}`}
              </span>
            </li>
          ))}
        </ul>
      )}
      <PublishHeld agentId={agentId} revision={revision} onPublished={onPublished} />
    </section>
  );
}

export function PublishHeld({ agentId, revision, onPublished }: HeldImportProps) {
  const text = useSavedWords();
  const queries = useQueryClient();
  const [asks, setAsks] = useState(false);
  const publish = async () => {
    await call("publishRevision", {
      agent_id: agentId,
      doc_id: revision.doc_id,
      revision: revision.revision,
    });
    showToast({ title: text.published });
    const changed = [...PAIR_CHANGES, "listRevisions", "listSavedQuestions", "listSavedQuestionRuns"];
    await Promise.all(changed.map((name) => queries.invalidateQueries({ queryKey: [name] })));
    onPublished();
  };
  return (
    <>
      <Button
        size="sm"
        className="self-start"
        aria-label={text.publishThis(revision.revision)}
        onClick={() => setAsks(true)}
      >
        {text.publish}
      </Button>
      <ConfirmDialog
        open={asks}
        onOpenChange={setAsks}
        title={text.publishTitle}
        description={text.publishLead}
        confirm={text.publish}
        tone="primary"
        onConfirm={publish}
      />
    </>
  );
}

/** The results that made a run hold the import. */
function useWorse(agentId: string, { doc_id, revision }: DocumentRevision): SavedQuestionResult[] {
  const runs = useCall("listSavedQuestionRuns", { agent_id: agentId, limit: 20 });
  const run = runs.data?.list.find((one) => one.doc_id === doc_id && one.revision === revision);
  const found = useCall(
    "getSavedQuestionRun",
    { agent_id: agentId, run_id: run?.run_id ?? "" },
    { enabled: run !== undefined },
  );
  return found.data?.results.filter(({ change }) => change === "worse") ?? [];
}

import type { Pair } from "@signalbox/contract";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, ConfirmDialog, Drawer, Tabs } from "../../design/index.ts";
import { PairHistory } from "./history.tsx";
import { draftOf, isDraftOf, PairForm } from "./pair-form.tsx";
import type { PairActions } from "./use-pair-actions.ts";
import { useKnowledgeWords } from "./words.ts";

const FORM = "pair";

export interface PairDrawerProps {
  agentId: string;
  /** Undefined: a new one. */
  pair: Pair | undefined;
  /** Where a new one goes. */
  place: { doc_id: string | undefined; knowledge_base_id: string | undefined };
  mayEdit: boolean;
  actions: PairActions;
  onClose: () => void;
}

/** One question with everything about it. What was typed is not lost by a click beside it. */
export function PairDrawer({ agentId, pair, place, mayEdit, actions, onClose }: PairDrawerProps) {
  const text = useKnowledgeWords();
  const [tab, setTab] = useState<"edit" | "history">("edit");
  const [draft, setDraft] = useState(() => draftOf(pair));
  const [asks, setAsks] = useState(false);
  const isDirty = !isDraftOf(draft, pair);
  const title = pair === undefined ? text.add : mayEdit ? text.editTitle : text.readTitle;
  const form = (
    <div className="flex flex-col gap-5">
      <PairForm
        id={FORM}
        draft={draft}
        onDraft={setDraft}
        readOnly={!mayEdit}
        onSave={async (texts) => {
          if (pair === undefined) await actions.add({ ...texts, ...place });
          else await actions.change(pair, texts);
          onClose();
        }}
      />
      {mayEdit ? (
        <div className="flex flex-wrap items-center gap-2">
          <Button tone="primary" type="submit" form={FORM} busy={actions.isBusy} disabled={!isDirty}>
            {text.save}
          </Button>
          <span className="text-xs text-ink-faint max-sm:hidden">{text.saveKeys}</span>
          {pair !== undefined && (
            <Button
              className="ml-auto"
              icon={<Trash2 className="size-3.5" aria-hidden />}
              onClick={() => void actions.remove(pair).then(onClose, () => undefined)}
            >
              {text.delete}
            </Button>
          )}
        </div>
      ) : (
        <p className="text-sm text-ink-soft">{text.readOnly}</p>
      )}
    </div>
  );
  return (
    <Drawer open title={title} onOpenChange={() => (isDirty ? setAsks(true) : onClose())}>
      <div className="p-4 sm:p-6">
        {pair === undefined ? (
          form
        ) : (
          <Tabs
            label={title}
            value={tab}
            onChange={setTab}
            tabs={[
              { value: "edit", label: text.tabs.edit, content: form },
              {
                value: "history",
                label: text.tabs.history,
                content: (
                  <PairHistory
                    agentId={agentId}
                    pair={pair}
                    onRestore={
                      mayEdit
                        ? (version) => void actions.restore(pair, version).then(onClose, () => undefined)
                        : undefined
                    }
                  />
                ),
              },
            ]}
          />
        )}
      </div>
      <ConfirmDialog
        open={asks}
        onOpenChange={setAsks}
        title={text.discardTitle}
        description={text.discardLead}
        confirm={text.discard}
        onConfirm={() => {
          onClose();
          return Promise.resolve();
        }}
      />
    </Drawer>
  );
}

import type { Pair } from "@signalbox/contract";
import { problemOf, showToast } from "../../design/index.ts";
import { type CallName, useAccess, useAction } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { useKnowledgeWords } from "./words.ts";

/** What shows pairs. */
export const PAIR_CHANGES: readonly CallName[] = [
  "listPairs",
  "listPairTags",
  "listPairHistory",
  "tryQuestion",
  "listQuestionGroups",
  "listAgentDocuments",
  "listAgentKnowledgeBases",
];

/** Everything that changes a pair. Each can be taken back from the toast that tells of it. */
export function usePairActions(agentId: string) {
  const words = useWords();
  const text = useKnowledgeWords();
  const tell = (error: unknown) => {
    const { title, detail } = problemOf(error, words);
    showToast({ tone: "bad", title, description: detail });
  };
  const add = useAction("addPair", { changes: PAIR_CHANGES });
  const change = useAction("changePair", { changes: PAIR_CHANGES });
  const remove = useAction("deletePair", { changes: PAIR_CHANGES });
  const restore = useAction("restorePair", { changes: PAIR_CHANGES });

  const undo = (run: () => Promise<unknown>) => ({
    label: words.common.undo,
    run: () => void run().then(() => showToast({ title: text.undone }), tell),
  });
  const backTo = (pair_id: string, version: number) =>
    undo(() => restore.mutateAsync({ agent_id: agentId, pair_id, version }));

  return {
    isBusy: add.isPending || change.isPending || remove.isPending || restore.isPending,
    async add(texts: PairTexts & { doc_id: string | undefined; knowledge_base_id: string | undefined }) {
      const { pair_id } = await add.mutateAsync({ agent_id: agentId, ...texts });
      showToast({
        title: text.added,
        action: undo(() => remove.mutateAsync({ agent_id: agentId, pair_id })),
      });
    },
    async change({ pair_id, version }: Pair, texts: PairTexts) {
      const changed = await change.mutateAsync({ agent_id: agentId, pair_id, version, ...texts });
      if (changed.version > version) showToast({ title: text.saved, action: backTo(pair_id, version) });
    },
    async remove({ pair_id, version }: Pair) {
      await remove.mutateAsync({ agent_id: agentId, pair_id }, { onError: tell });
      showToast({ title: text.deleted, action: backTo(pair_id, version) });
    },
    async restore({ pair_id, version: current }: Pair, version: number) {
      await restore.mutateAsync({ agent_id: agentId, pair_id, version }, { onError: tell });
      showToast({ title: text.restored, action: backTo(pair_id, current) });
    },
  };
}

export type PairActions = ReturnType<typeof usePairActions>;
export type PairTexts = Pick<Pair, "question" | "answer" | "alternates" | "tags">;

export function useMayEdit(agentId: string): boolean {
  return useAccess().may("changePair", agentId);
}

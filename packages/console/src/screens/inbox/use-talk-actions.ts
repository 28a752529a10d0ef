import type { Talk } from "@signalbox/contract";
import { isFailure } from "@signalbox/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { showProblem, showToast } from "../../design/index.ts";
import { call, useAccess, useAction } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { changeDraft, draftOf } from "./drafts.ts";
import { type OutgoingMessage, post } from "./outbox.ts";
import { knownTalk, TALK_CHANGES } from "./talks.ts";
import { useInboxWords } from "./words.ts";

export type ComposedMessage = Pick<OutgoingMessage, "mode" | "text" | "files">;

/** Who takes a talk over. */
export type TransferTarget = { name: string } & ({ account_id: string } | { team_id: string });

/** What a person does with a talk. If several take it at once, one gets it; the others see who. */
export function useTalkActions(agentId: string) {
  const words = useWords();
  const text = useInboxWords();
  const client = useQueryClient();
  const mayAnswer = useAccess().may("takeTalk", agentId);
  const take = useAction("takeTalk", { changes: TALK_CHANGES });
  const transfer = useAction("transferTalk", { changes: TALK_CHANGES });
  const close = useAction("closeTalk", { changes: TALK_CHANGES });

  const refresh = () =>
    Promise.all(TALK_CHANGES.map((name) => client.invalidateQueries({ queryKey: [name] })));
  /** Somebody else changed it first: what it is now, in words. */
  const tellConflict = async (talk_id: string, error: unknown) => {
    if (!isFailure(error, "stateConflict")) {
      showProblem(error, words);
      return;
    }
    void refresh();
    const now = await call("getTalk", { agent_id: agentId, talk_id, limit: 1 }).catch(() => undefined);
    const winner = now?.is_mine === true ? undefined : now?.holder?.name;
    showToast(
      winner === undefined
        ? { tone: "bad", title: text.changed, description: error.message }
        : { tone: "bad", title: text.takenBy(winner), description: text.takenByLead },
    );
  };
  const sendNote = (talk_id: string, body: string, idempotencyKey: string) =>
    call("addTalkNote", { agent_id: agentId, talk_id, text: body }, { idempotencyKey });

  return {
    mayAnswer,
    isTaking: take.isPending,
    async take(talkId: string): Promise<Talk | undefined> {
      if (take.isPending) return undefined;
      try {
        return await take.mutateAsync({ agent_id: agentId, talk_id: talkId });
      } catch (error) {
        await tellConflict(talkId, error);
        return undefined;
      }
    },
    /** `to` null: back to the queue. */
    async transfer(talkId: string, to: TransferTarget | null, note: string) {
      try {
        if (note !== "") await sendNote(talkId, note, crypto.randomUUID());
        const { name, ...target } = to ?? { name: undefined, account_id: null };
        await transfer.mutateAsync({ agent_id: agentId, talk_id: talkId, ...target });
        showToast({ title: name === undefined ? text.queued : text.transferred(name) });
        return true;
      } catch (error) {
        await tellConflict(talkId, error);
        return false;
      }
    },
    async close(talkId: string) {
      try {
        await close.mutateAsync({ agent_id: agentId, talk_id: talkId });
        changeDraft(talkId, { reply: "", files: [] });
      } catch (error) {
        await tellConflict(talkId, error);
      }
    },
    send(talkId: string, { mode, text: body, files }: ComposedMessage) {
      post(talkId, {
        mode,
        text: body,
        files,
        known: knownTalk(client, agentId, talkId),
        send: async ({ key }) => {
          try {
            if (mode === "note") await sendNote(talkId, body, key);
            else
              await call(
                "replyInTalk",
                { agent_id: agentId, talk_id: talkId, text: body, attachments: [...files] },
                { idempotencyKey: key },
              );
          } catch (error) {
            if (!isFailure(error, "stateConflict")) throw error;
            void tellConflict(talkId, error);
            // The words go back to where they were written, unless others were written since.
            if (draftOf(talkId)[mode] !== "") throw error;
            changeDraft(talkId, { mode, [mode]: body, ...(files.length > 0 && { files }) });
          }
          await refresh();
        },
      });
    },
  };
}

export type TalkActions = ReturnType<typeof useTalkActions>;

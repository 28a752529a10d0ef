import { PLACEHOLDERS, type CannedReply } from "@signalbox/contract";
import { type SubmitEvent, useState } from "react";
import { Button, Field, Input, problemOf, showProblem, showToast, TextArea } from "../../design/index.ts";
import { bodyProblems, useAction, useCall } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { EditedList } from "./edited-list.tsx";
import { useInboxWords } from "./words.ts";

const CHANGES = ["listCannedReplies"] as const;

/** What the whole team can insert. */
export function CannedDialog({ agentId, onClose }: { agentId: string; onClose: () => void }) {
  const words = useWords();
  const text = useInboxWords();
  const { data, error, refetch } = useCall("listCannedReplies", { agent_id: agentId });
  const remove = useAction("deleteCannedReply", { changes: CHANGES });
  return (
    <EditedList
      title={text.canned}
      lead={text.cannedLead}
      none={`${text.cannedNone}. ${text.cannedNoneLead}`}
      add={text.cannedNew}
      list={{ items: data?.list, error, refetch }}
      describe={(reply) => ({
        key: reply.reply_id,
        name: reply.title,
        detail: reply.text,
        edit: text.cannedEdit(reply.title),
        remove: text.cannedDelete(reply.title),
      })}
      onRemove={({ reply_id }) =>
        remove.mutate(
          { agent_id: agentId, reply_id },
          {
            onSuccess: () => showToast({ title: text.cannedDeleted }),
            onError: (error) => showProblem(error, words),
          },
        )
      }
      form={(reply, onDone) => <ReplyForm agentId={agentId} reply={reply} onDone={onDone} />}
      onClose={onClose}
    />
  );
}

interface ReplyFormProps {
  agentId: string;
  reply: CannedReply | undefined;
  onDone: () => void;
}

function ReplyForm({ agentId, reply, onDone }: ReplyFormProps) {
  const words = useWords();
  const text = useInboxWords();
  const [title, setTitle] = useState(reply?.title ?? "");
  const [body, setBody] = useState(reply?.text ?? "");
  const [problems, setProblems] = useState<Record<string, string>>({});
  const create = useAction("createCannedReply", { changes: CHANGES });
  const update = useAction("updateCannedReply", { changes: CHANGES });
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const fields = { title: title.trim(), text: body.trim() };
    const found = bodyProblems("createCannedReply", fields);
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    try {
      if (reply === undefined) await create.mutateAsync({ agent_id: agentId, ...fields });
      else await update.mutateAsync({ agent_id: agentId, reply_id: reply.reply_id, ...fields });
      showToast({ title: text.cannedSaved });
      onDone();
    } catch (error) {
      setProblems({ title: problemOf(error, words).detail });
    }
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => void save(event)}>
      <Field label={text.cannedTitle} help={text.cannedTitleHelp} problem={problems["title"]}>
        <Input autoFocus value={title} onChange={({ currentTarget }) => setTitle(currentTarget.value)} />
      </Field>
      <Field
        label={text.cannedText}
        help={text.cannedTextHelp(PLACEHOLDERS.map((name) => `{{${name}}}`).join(" "))}
        problem={problems["text"]}
      >
        <TextArea rows={5} value={body} onChange={({ currentTarget }) => setBody(currentTarget.value)} />
      </Field>
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>{words.common.cancel}</Button>
        <Button tone="primary" type="submit" busy={create.isPending || update.isPending}>
          {words.common.save}
        </Button>
      </div>
    </form>
  );
}

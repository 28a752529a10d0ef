import { PLACEHOLDERS, type CannedReply } from "@signalbox/contract";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { type SubmitEvent, useState } from "react";
import {
  Button,
  Dialog,
  Field,
  IconButton,
  Input,
  Problem,
  problemOf,
  showProblem,
  showToast,
  SkeletonLines,
  TextArea,
} from "../../design/index.ts";
import { bodyProblems, useAction, useCall } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { useInboxWords } from "./words.ts";

const CHANGES = ["listCannedReplies"] as const;

/** What the whole team can insert. */
export function CannedDialog({ agentId, onClose }: { agentId: string; onClose: () => void }) {
  const words = useWords();
  const text = useInboxWords();
  const { data, error, refetch } = useCall("listCannedReplies", { agent_id: agentId });
  const remove = useAction("deleteCannedReply", { changes: CHANGES });
  const [edited, setEdited] = useState<CannedReply | "new">();
  return (
    <Dialog open onOpenChange={onClose} title={text.canned} description={text.cannedLead}>
      {edited !== undefined ? (
        <ReplyForm
          agentId={agentId}
          reply={edited === "new" ? undefined : edited}
          onDone={() => setEdited(undefined)}
        />
      ) : error !== null ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={4} />
      ) : (
        <div className="flex flex-col gap-4">
          {data.list.length === 0 ? (
            <p className="text-sm text-ink-soft">
              {text.cannedNone}. {text.cannedNoneLead}
            </p>
          ) : (
            <ul className="flex flex-col">
              {data.list.map((reply) => (
                <li
                  key={reply.reply_id}
                  className="flex items-start gap-2 border-t border-line py-2 first:border-t-0"
                >
                  <span className="flex min-w-0 flex-1 flex-col">
                    <span className="truncate text-sm font-medium text-ink">{reply.title}</span>
                    <span className="line-clamp-2 text-xs wrap-anywhere text-ink-soft">{reply.text}</span>
                  </span>
                  <IconButton size="sm" label={text.cannedEdit(reply.title)} onClick={() => setEdited(reply)}>
                    <Pencil className="size-3.5" aria-hidden />
                  </IconButton>
                  <IconButton
                    size="sm"
                    label={text.cannedDelete(reply.title)}
                    onClick={() =>
                      remove.mutate(
                        { agent_id: agentId, reply_id: reply.reply_id },
                        {
                          onSuccess: () => showToast({ title: text.cannedDeleted }),
                          onError: (error) => showProblem(error, words),
                        },
                      )
                    }
                  >
                    <Trash2 className="size-3.5" aria-hidden />
                  </IconButton>
                </li>
              ))}
            </ul>
          )}
          <Button
            className="self-start"
            tone={data.list.length === 0 ? "primary" : "plain"}
            icon={<Plus className="size-3.5" aria-hidden />}
            onClick={() => setEdited("new")}
          >
            {text.cannedNew}
          </Button>
        </div>
      )}
    </Dialog>
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

import { attachmentAt, type MessageAttachment } from "@signalbox/contract";
import { Paperclip, X } from "lucide-react";
import { type SubmitEvent, useState } from "react";
import { Button, Dialog, Field, IconButton, Input } from "../../design/index.ts";
import { bodyProblems } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { useInboxWords } from "./words.ts";

interface Shown {
  url: string;
  name?: string | undefined;
}

/** Files of a message, by name. Nothing of them is loaded before somebody opens one. */
export function Attachments({ attachments }: { attachments: readonly Shown[] }) {
  const text = useInboxWords();
  return attachments.map(({ url, name = url }) => (
    <p key={url} className="mt-1 flex items-center gap-1.5 text-sm">
      <Paperclip className="size-3.5 shrink-0 text-ink-faint" aria-hidden />
      <span className="sr-only">{text.attachment}: </span>
      <AttachmentLink url={url} name={name} />
    </p>
  ));
}

/** Only what is plainly a web address becomes a link: users wrote it. */
function AttachmentLink({ url, name }: { url: string; name: string }) {
  if (!/^https?:\/\//i.test(url)) return <span className="wrap-anywhere">{name}</span>;
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer"
      className="wrap-anywhere text-accent underline hover:no-underline"
    >
      {name}
    </a>
  );
}

/** What goes with the next reply. */
export function AttachedFiles({
  files,
  onRemove,
}: {
  files: readonly MessageAttachment[];
  onRemove: (file: MessageAttachment) => void;
}) {
  const text = useInboxWords();
  if (files.length === 0) return null;
  return (
    <ul aria-label={text.attached} className="mb-2 flex flex-wrap gap-1.5">
      {files.map((file) => (
        <li
          key={file.url}
          className="flex max-w-full items-center gap-1.5 rounded-md border border-line bg-sunken pl-2 text-sm text-ink"
        >
          <Paperclip className="size-3.5 shrink-0 text-ink-faint" aria-hidden />
          <span className="min-w-0 truncate">{file.name ?? file.url}</span>
          <IconButton size="sm" label={text.detach(file.name ?? file.url)} onClick={() => onRemove(file)}>
            <X className="size-3.5" aria-hidden />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

/** Takes what the route takes, and says why it does not take the rest. */
export function AttachDialog({
  files,
  onAdd,
  onClose,
}: {
  /** The files attached so far. */
  files: readonly MessageAttachment[];
  onAdd: (files: MessageAttachment[]) => void;
  onClose: () => void;
}) {
  const words = useWords();
  const text = useInboxWords();
  const [url, setUrl] = useState("");
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string>();
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    // This submits the dialog, not the composer around it.
    event.stopPropagation();
    const added = attachmentAt(url.trim(), name);
    const attachments = [...files.filter((file) => file.url !== added.url), added];
    const found = bodyProblems("replyInTalk", { attachments })["attachments"];
    setProblem(found);
    if (found === undefined) onAdd(attachments);
  };
  return (
    <Dialog open onOpenChange={onClose} title={text.attachTitle} description={text.attachLead} width="sm">
      <form className="flex flex-col gap-4" onSubmit={add} noValidate>
        <Field label={text.attachUrl} problem={problem}>
          <Input
            autoFocus
            type="url"
            dir="ltr"
            value={url}
            placeholder="https://"
            onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          />
        </Field>
        <Field label={text.attachName} help={text.attachNameHelp}>
          <Input
            value={name}
            maxLength={200}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{words.common.cancel}</Button>
          <Button tone="primary" type="submit">
            {text.attachAdd}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

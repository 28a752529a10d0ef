import type { InboxPerson, TalkMessage, TalkNote } from "@signalbox/contract";
import type { OutgoingMessage } from "./outbox.ts";

interface Shown {
  messages: readonly TalkMessage[];
  notes: readonly TalkNote[];
  isMe: (author: InboxPerson | null) => boolean;
}

/**
 * Messages to show as being sent. The service may have a message before its answer is here, or though the answer was
 * lost: then the timeline shows it already, and it must not stand there twice.
 */
export function unsentOf(
  outgoing: readonly OutgoingMessage[],
  { messages, notes, isMe }: Shown,
): readonly OutgoingMessage[] {
  const matched = new Set<string>();
  const arrivedAs = ({ mode, text, files, known }: OutgoingMessage): string | undefined => {
    const isNew = (id: string, said: string, author: InboxPerson | null) =>
      said === text && isMe(author) && !matched.has(id);
    if (mode === "note")
      return notes.slice(known.notes).find((note) => isNew(note.note_id, note.text, note.author))?.note_id;
    return messages.find(
      ({ message_id, sequence, sender, text: said, attachments, author }) =>
        sequence > known.sequence &&
        sender === "human" &&
        attachments.length === files.length &&
        isNew(message_id, said, author),
    )?.message_id;
  };
  return outgoing.filter((message) => {
    const id = arrivedAs(message);
    if (id !== undefined) matched.add(id);
    return id === undefined;
  });
}

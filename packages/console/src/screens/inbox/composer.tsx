import type { CannedReply, TalkDetail } from "@signalbox/contract";
import { Lightbulb, MessageSquareText, Paperclip, Send, StickyNote } from "lucide-react";
import { type KeyboardEvent, type Ref, useId, useImperativeHandle, useRef, useState } from "react";
import { Button, CONTROL, classNames, showProblem, showToast } from "../../design/index.ts";
import { call, useCall } from "../../service/index.ts";
import { useWords } from "../../words/index.ts";
import { AttachedFiles, AttachDialog } from "./attachments.tsx";
import { CannedList, cannedMatches } from "./canned-list.tsx";
import { changeDraft, type ComposerMode, useDraft } from "./drafts.ts";
import { replaceCommand, type SlashCommand, slashCommandAt } from "./slash-command.ts";
import { Suggestions } from "./suggestions.tsx";
import { endTyping, tellTyping } from "./typing.ts";
import type { ComposedMessage } from "./use-talk-actions.ts";
import { useInboxWords } from "./words.ts";

/** What keys of the screen do with it. */
export interface ComposerHandle {
  write: (mode: ComposerMode) => void;
}

export interface ComposerProps {
  ref?: Ref<ComposerHandle>;
  talk: TalkDetail;
  /** The last message of the user: suggestions follow it. */
  lastAsked: string | undefined;
  /** Why a reply cannot be sent now; a note always can. */
  refused: string | undefined;
  /** Said above, without keeping anybody from replying. */
  hint: string | undefined;
  onSend: (composed: ComposedMessage) => void;
  /** Escape: back to where single keys work. */
  onLeave: () => void;
}

const ROWS_MAX = 8;
const MODES = ["reply", "note"] as const;

export function Composer({ ref, talk, lastAsked, refused, hint, onSend, onLeave }: ComposerProps) {
  const words = useWords();
  const text = useInboxWords();
  const { agent_id, talk_id } = talk;
  const draft = useDraft(talk_id);
  /** The user hears nothing more: what is left is a note for colleagues. */
  const isClosed = talk.state === "closed";
  const mode = isClosed ? "note" : draft.mode;
  const value = draft[mode];
  const field = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(0);
  const [highlighted, setHighlighted] = useState(0);
  /** Where Escape closed the list: it stays closed for that command. */
  const [dismissed, setDismissed] = useState<number>();
  const [showsSuggestions, setShowsSuggestions] = useState(false);
  const [attaches, setAttaches] = useState(false);
  const id = useId();
  const canned = useCall("listCannedReplies", { agent_id });

  const command = mode === "reply" ? slashCommandAt(value, caret) : undefined;
  const isListed = command !== undefined && command.start !== dismissed;
  const matches = isListed ? cannedMatches(canned.data?.list ?? [], command.query) : [];
  const isRefused = mode === "reply" && refused !== undefined;
  const files = mode === "reply" ? draft.files : [];
  const canSend = (value.trim() !== "" || files.length > 0) && !isRefused;

  /** When the field has its new text. */
  const focusAt = (position: number) =>
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(position, position);
      setCaret(position);
    });
  const change = (next: string) => changeDraft(talk_id, { [mode]: next });
  const setMode = (next: ComposerMode) => {
    changeDraft(talk_id, { mode: next });
    setCaret(0);
    // At once: the next key is already meant for the field.
    field.current?.focus();
  };
  useImperativeHandle(ref, () => ({ write: setMode }));

  const send = () => {
    if (!canSend) return;
    onSend({ mode, text: value.trim(), files });
    endTyping(talk_id);
    if (files.length > 0) changeDraft(talk_id, { files: [] });
    // A second note must not go to the user: the mode stays until somebody changes it.
    changeDraft(talk_id, { [mode]: "" });
    setCaret(0);
  };
  const insertCanned = async (at: SlashCommand, reply: CannedReply) => {
    try {
      const filled = await call("fillCannedReply", { agent_id, talk_id, reply_id: reply.reply_id });
      const replaced = replaceCommand(value, at, filled.text);
      change(replaced.text);
      focusAt(replaced.caret);
      if (filled.missing.length > 0) showToast({ title: text.cannedMissing(filled.missing.join(", ")) });
    } catch (error) {
      showProblem(error, words);
    }
  };
  const insertAnswer = (answer: string) => {
    const before = draft.reply.trim() === "" ? "" : `${draft.reply.trimEnd()}\n`;
    changeDraft(talk_id, { mode: "reply", reply: `${before}${answer}` });
    setShowsSuggestions(false);
    focusAt(before.length + answer.length);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // An input method uses these keys itself until its word is chosen.
    if (isComposing(event.nativeEvent)) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key, shiftKey } = event;
    const chosen = matches[Math.min(highlighted, matches.length - 1)];
    const listKeys: Record<string, () => void> = {
      ArrowDown: () => setHighlighted((highlighted + 1) % matches.length),
      ArrowUp: () => setHighlighted((highlighted + matches.length - 1) % matches.length),
      Enter: () => command && chosen && void insertCanned(command, chosen),
    };
    const fieldKeys: Record<string, () => void> = {
      Enter: send,
      Tab: () => setMode(mode === "reply" ? "note" : "reply"),
      Escape: isListed && command ? () => setDismissed(command.start) : onLeave,
    };
    const act = (chosen === undefined ? undefined : listKeys[key]) ?? fieldKeys[key];
    if (act === undefined || shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };

  const isNote = mode === "note";
  return (
    <section
      aria-label={text.composer}
      data-composer
      className="relative shrink-0 border-t border-line bg-panel px-4 py-3"
    >
      {isListed && (
        <CannedList
          id={id}
          replies={matches}
          isEmpty={canned.data?.list.length === 0}
          highlighted={Math.min(highlighted, matches.length - 1)}
          onChoose={(reply) => void insertCanned(command, reply)}
        />
      )}
      {showsSuggestions && !isClosed && (
        <Suggestions agentId={agent_id} talkId={talk_id} lastAsked={lastAsked} onInsert={insertAnswer} />
      )}
      {!isClosed && (
        <div className="mb-2 flex flex-wrap items-center gap-1">
          <div role="group" aria-label={text.composer} className="flex gap-0.5">
            {MODES.map((one) => (
              <Button
                key={one}
                size="sm"
                tone={one === mode ? "plain" : "quiet"}
                aria-pressed={one === mode}
                onClick={() => setMode(one)}
                icon={one === "note" ? <StickyNote className="size-3.5" aria-hidden /> : undefined}
              >
                {one === "note" ? text.note : text.reply}
              </Button>
            ))}
          </div>
          <span className="ml-auto flex flex-wrap gap-0.5">
            <Button
              size="sm"
              tone="quiet"
              icon={<Paperclip className="size-3.5" aria-hidden />}
              onClick={() => setAttaches(true)}
            >
              {text.attach}
            </Button>
            <Button
              size="sm"
              tone="quiet"
              icon={<MessageSquareText className="size-3.5" aria-hidden />}
              onClick={() => {
                const next = draft.reply === "" ? "/" : `${draft.reply.trimEnd()} /`;
                setDismissed(undefined);
                changeDraft(talk_id, { mode: "reply", reply: next });
                focusAt(next.length);
              }}
            >
              <span className="max-sm:sr-only">{text.canned}</span>
            </Button>
            <Button
              size="sm"
              tone="quiet"
              aria-expanded={showsSuggestions}
              icon={<Lightbulb className="size-3.5" aria-hidden />}
              onClick={() => setShowsSuggestions(!showsSuggestions)}
            >
              <span className="max-sm:sr-only">{text.suggested}</span>
            </Button>
          </span>
        </div>
      )}
      {(isRefused || hint !== undefined) && (
        <p id={`${id}-why`} className="mb-2 text-xs text-ink-soft">
          {isRefused ? refused : hint}
        </p>
      )}
      <AttachedFiles
        files={files}
        onRemove={(file) => {
          changeDraft(talk_id, { files: files.filter((one) => one !== file) });
          field.current?.focus();
        }}
      />
      {attaches && (
        <AttachDialog
          files={draft.files}
          onAdd={(attached) => {
            changeDraft(talk_id, { mode: "reply", files: attached });
            setAttaches(false);
            focusAt(draft.reply.length);
          }}
          onClose={() => setAttaches(false)}
        />
      )}
      <div className="flex items-end gap-2">
        <textarea
          ref={field}
          value={value}
          rows={Math.min(ROWS_MAX, Math.max(2, value.split("\n").length))}
          aria-label={isNote ? text.noteLabel : text.replyLabel}
          aria-describedby={`${id}-keys`}
          aria-autocomplete={isListed ? "list" : undefined}
          aria-controls={isListed && matches.length > 0 ? id : undefined}
          aria-activedescendant={
            matches.length > 0 ? `${id}-${Math.min(highlighted, matches.length - 1)}` : undefined
          }
          placeholder={isNote ? text.notePlaceholder : text.replyPlaceholder}
          onChange={({ currentTarget }) => {
            change(currentTarget.value);
            if (mode === "reply" && currentTarget.value.trim() !== "") tellTyping(talk);
            setCaret(currentTarget.selectionStart);
            setHighlighted(0);
            if (currentTarget.value === "") setDismissed(undefined);
          }}
          onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
          onKeyDown={onKeyDown}
          className={classNames(
            CONTROL,
            "min-h-14 min-w-0 flex-1 resize-none py-2 text-base",
            isNote && "border-dashed! border-warn! bg-warn-soft!",
          )}
        />
        <Button
          tone="primary"
          disabled={!canSend}
          onClick={send}
          icon={
            isNote ? (
              <StickyNote className="size-3.5" aria-hidden />
            ) : (
              <Send className="size-3.5" aria-hidden />
            )
          }
        >
          {isNote ? text.addNote : text.send}
        </Button>
      </div>
      <p id={`${id}-keys`} className="mt-1.5 text-2xs text-ink-faint max-sm:sr-only">
        {isClosed ? text.noteKeys : text.keys}
      </p>
    </section>
  );
}

/** The code is deprecated, and the only sign that Safari gives when Enter ends a composition. */
function isComposing(event: object): boolean {
  const { isComposing: is, keyCode } = event as { isComposing: boolean; keyCode: number };
  return is || keyCode === 229;
}

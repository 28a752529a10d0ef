import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useWords } from "../words/index.ts";
import { Button, type ButtonLook, IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";

const SHOWN_MS = 1_600;

/** Whether it was copied just now, and how to copy. */
function useCopy(text: string): { copied: boolean; copy: () => void } {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(true));
  return { copied, copy };
}

function CopyIcon({ copied }: { copied: boolean }) {
  const Icon = copied ? Check : Copy;
  return <Icon className={classNames("size-3.5 shrink-0", copied && "text-good")} aria-hidden />;
}

export interface CopyButtonProps extends ButtonLook {
  text: string;
  label: string;
  autoFocus?: boolean;
}

export function CopyButton({ text, label, ...look }: CopyButtonProps) {
  const words = useWords();
  const { copied, copy } = useCopy(text);
  return (
    <Button {...look} onClick={copy} icon={<CopyIcon copied={copied} />}>
      <span aria-live="polite">{copied ? words.common.copied : label}</span>
    </Button>
  );
}

export interface CopyableIdProps {
  id: string;
  /** The name of the copied value, for screen readers. */
  label: string;
  /** Its end is enough to tell it apart; the whole id is copied. */
  short?: boolean;
  className?: string;
}

const SHORT_LENGTH = 8;

export function CopyableId({ id, label, short = false, className }: CopyableIdProps) {
  const words = useWords();
  const { copied, copy } = useCopy(id);
  const shown = short ? `…${id.slice(-SHORT_LENGTH)}` : id;
  return (
    <button
      type="button"
      title={id}
      aria-label={copied ? `${words.common.copied} ${shown}` : words.common.copyThing(`${label} ${shown}`)}
      onClick={copy}
      className={classNames(
        "group/id relative z-10 inline-flex max-w-full items-center gap-1.5 rounded-sm font-mono text-xs text-ink-soft hover:text-ink",
        className,
      )}
    >
      <span className="truncate">{shown}</span>
      <span
        className={classNames(
          copied ? "" : "opacity-0 group-hover/id:opacity-100 group-focus-visible/id:opacity-100",
        )}
      >
        <CopyIcon copied={copied} />
      </span>
    </button>
  );
}

/** A command or an address, to be copied whole; nothing of it is hidden. */
export function CopyLine({ text, className }: { text: string; className?: string }) {
  const words = useWords();
  const { copied, copy } = useCopy(text);
  return (
    <div
      className={classNames(
        "flex min-w-0 items-center gap-2 rounded-md border border-line bg-sunken py-0.5 pr-0.5 pl-3",
        className,
      )}
    >
      <code className="min-w-0 flex-1 py-1 font-mono text-xs wrap-anywhere whitespace-pre-wrap text-ink">
        {text}
      </code>
      <IconButton size="sm" label={copied ? words.common.copied : words.common.copy} onClick={copy}>
        <CopyIcon copied={copied} />
      </IconButton>
    </div>
  );
}

import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { classNames } from "./class-names.ts";

/** One asks when the words stand still. */
const TYPING_MS = 300;

export interface TextFilterProps {
  label: string;
  /** In place of the label, before somebody types. */
  placeholder?: string;
  title?: string;
  disabled?: boolean;
  /** What the list is filtered by now; undefined: by no text. */
  text: string | undefined;
  onText: (text: string | undefined) => void;
  className?: string;
}

/** Filters a list by what somebody types. */
export function TextFilter({
  label,
  placeholder = label,
  title,
  disabled = false,
  text,
  onText,
  className = "w-64",
}: TextFilterProps) {
  const [typed, setTyped] = useState(text ?? "");
  const asked = useRef(text);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    // Changed elsewhere: the filters were cleared, or the browser went back.
    if (text === asked.current) return;
    asked.current = text;
    setTyped(text ?? "");
  }, [text]);
  const type = (value: string) => {
    setTyped(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      asked.current = value.trim() === "" ? undefined : value.trim();
      onText(asked.current);
    }, TYPING_MS);
  };
  return (
    <label
      className={classNames(
        "flex h-7 items-center gap-1.5 rounded-md border border-line-strong bg-panel px-2 focus-within:outline-2 focus-within:outline-accent",
        className,
      )}
    >
      <Search className="size-3.5 shrink-0 text-ink-faint" aria-hidden />
      <input
        type="search"
        aria-label={label}
        title={title}
        placeholder={placeholder}
        disabled={disabled}
        value={typed}
        onChange={(event) => type(event.target.value)}
        className="min-w-0 flex-1 bg-transparent text-xs text-ink outline-none"
      />
    </label>
  );
}

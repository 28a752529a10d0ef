import { lazy, Suspense } from "react";
import { CopyButton } from "./copy.tsx";
import { useWords } from "../words/index.ts";
import { classNames } from "./class-names.ts";

const Editor = lazy(() => import("./code-editor.tsx"));

export interface CodeViewProps {
  /** What the code is, for screen readers. */
  label: string;
  code: string;
  json?: boolean;
  /** Said beside the button that copies. */
  note?: string;
  className?: string;
}

/** Code to be read, with its syntax coloured. CodeMirror is loaded when the first one is shown. */
export function CodeView({ label, code, json = false, note, className }: CodeViewProps) {
  const words = useWords();
  const shown = json ? indented(code) : code;
  return (
    <div className={classNames("overflow-hidden rounded-md border border-line bg-sunken", className)}>
      <div className="flex h-8 items-center gap-2 border-b border-line pr-0.5 pl-3 text-2xs text-ink-faint">
        <span className="truncate">{label}</span>
        {note !== undefined && <span className="truncate">{note}</span>}
        <span className="ml-auto">
          <CopyButton size="sm" tone="quiet" text={code} label={words.common.copy} />
        </span>
      </div>
      <Suspense
        fallback={
          <pre tabIndex={0} className="max-h-112 overflow-auto p-3 font-mono text-xs text-ink">
            {shown}
          </pre>
        }
      >
        <Editor label={label} code={shown} json={json} />
      </Suspense>
    </div>
  );
}

function indented(code: string): string {
  try {
    return JSON.stringify(JSON.parse(code), null, 2);
  } catch {
    return code;
  }
}

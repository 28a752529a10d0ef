import { FileUp } from "lucide-react";
import { type ChangeEvent, useEffect, useRef, useState } from "react";
import { Button } from "../../../design/index.ts";
import { useImportWords } from "./words.ts";

const ACCEPTED = ".csv,.tsv,.tab,.xlsx,.json,.pdf,.docx,.html,.htm,.md,.markdown,.txt";

export interface FileIntakeProps {
  disabled: boolean;
  onFile: (file: File) => void;
}

/** Two ways to bring a file: a button, and dropping it anywhere on the screen. */
export function FileIntake({ disabled, onFile }: FileIntakeProps) {
  const text = useImportWords();
  const input = useRef<HTMLInputElement>(null);
  const isOver = useFileDrop(disabled, onFile);
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    if (file !== undefined) onFile(file);
    // The same file may be chosen again after it was corrected.
    target.value = "";
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept={ACCEPTED}
        aria-label={text.choose}
        tabIndex={-1}
        className="sr-only"
        onChange={choose}
      />
      <Button
        disabled={disabled}
        title={text.choose}
        icon={<FileUp className="size-3.5" aria-hidden />}
        onClick={() => input.current?.click()}
      >
        {text.button}
      </Button>
      {isOver && (
        <div className="pointer-events-none fixed inset-0 z-50 flex items-center justify-center bg-scrim p-6">
          <div className="flex flex-col items-center gap-1 rounded-xl border-2 border-dashed border-accent bg-raised px-8 py-10 text-center shadow-floating">
            <FileUp className="mb-2 size-8 text-accent" aria-hidden />
            <p className="text-lg font-semibold text-ink">{text.drop}</p>
            <p className="text-sm text-ink-soft">{text.dropLead}</p>
          </div>
        </div>
      )}
    </>
  );
}

/** True while a file is held over the window. A file dropped elsewhere would make the browser leave the page. */
function useFileDrop(disabled: boolean, onFile: (file: File) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    if (disabled) return undefined;
    const holdsFile = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") ?? false;
    const over = (event: DragEvent) => {
      if (!holdsFile(event)) return;
      event.preventDefault();
      setIsOver(true);
    };
    // Between two elements of the page nothing is left.
    const leave = ({ relatedTarget }: DragEvent) => relatedTarget === null && setIsOver(false);
    const drop = (event: DragEvent) => {
      if (!holdsFile(event)) return;
      event.preventDefault();
      setIsOver(false);
      const [file] = event.dataTransfer?.files ?? [];
      if (file !== undefined) onFile(file);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, [disabled, onFile]);
  return isOver;
}

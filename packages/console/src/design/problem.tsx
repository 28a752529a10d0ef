import { SignalboxConnectionError, SignalboxError } from "@signalbox/sdk";
import { RotateCw, TriangleAlert } from "lucide-react";
import { useWords, type Words } from "../words/index.ts";
import { Button } from "./button.tsx";
import { CopyableId } from "./copy.tsx";
import { classNames } from "./class-names.ts";
import { showToast } from "./toast.tsx";

/** An error, in words for the person who reads the page. */
export function problemOf(
  error: unknown,
  words: Words,
): { title: string; detail: string; requestId: string | undefined } {
  const { problems } = words;
  if (error instanceof SignalboxConnectionError)
    return { title: problems.unreachable, detail: problems.unreachableDetail, requestId: undefined };
  if (error instanceof SignalboxError) {
    const title = error.failureName === undefined ? problems.other : problems.byName[error.failureName];
    // The service keeps the cause to its logs, so that its own message helps nobody here.
    const detail = error.failureName === "internal" ? problems.internalDetail : error.message;
    return { title, detail, requestId: error.requestId };
  }
  return {
    title: problems.other,
    detail: error instanceof Error ? error.message : String(error),
    requestId: undefined,
  };
}

/** Reports a failed action while the screen stays as it is. */
export function showProblem(error: unknown, words: Words): void {
  const { title, detail } = problemOf(error, words);
  showToast({ tone: "bad", title, description: detail });
}

export interface ProblemProps {
  error: unknown;
  onRetry?: () => void;
  className?: string;
}

/** In the place of what could not be loaded. */
export function Problem({ error, onRetry, className }: ProblemProps) {
  const words = useWords();
  const { title, detail, requestId } = problemOf(error, words);
  return (
    <div
      role="alert"
      aria-label={title}
      className={classNames(
        "mx-auto flex w-full max-w-lg flex-col items-center px-4 py-14 text-center",
        className,
      )}
    >
      <span className="mb-4 flex size-10 items-center justify-center rounded-xl bg-bad-soft text-bad">
        <TriangleAlert className="size-5" aria-hidden />
      </span>
      <h2 className="text-base font-semibold text-ink">{title}</h2>
      <p className="mt-1 max-w-md text-sm wrap-anywhere text-ink-soft">{detail}</p>
      {requestId !== undefined && (
        <p className="mt-3 flex items-center gap-1.5 text-xs text-ink-faint">
          {words.problems.requestId} <CopyableId id={requestId} label={words.problems.requestId} />
        </p>
      )}
      {onRetry !== undefined && (
        <Button className="mt-5" onClick={onRetry} icon={<RotateCw className="size-3.5" aria-hidden />}>
          {words.common.tryAgain}
        </Button>
      )}
    </div>
  );
}

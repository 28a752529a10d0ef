import { useWords } from "../words/index.ts";
import { classNames } from "./class-names.ts";

/** Where something will stand; as large as what comes, so that nothing jumps. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={classNames("shimmer block h-4 rounded-sm", className)} />;
}

const WIDTHS = ["w-11/12", "w-8/12", "w-10/12", "w-7/12", "w-9/12"];

/** Lines of text or of a list that are being loaded. */
export function SkeletonLines({ lines = 5, className }: { lines?: number; className?: string }) {
  const words = useWords();
  return (
    <div
      role="status"
      aria-label={words.common.loading}
      className={classNames("flex flex-col gap-3", className)}
    >
      <span className="sr-only">{words.common.loading}</span>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} className={WIDTHS[line % WIDTHS.length] ?? ""} />
      ))}
    </div>
  );
}

/** Lines in the frame of the panel that comes. */
export function SkeletonPanel({ lines }: { lines?: number }) {
  const frame = "rounded-lg border border-line bg-panel p-4 shadow-raised";
  return <SkeletonLines className={frame} {...(lines !== undefined && { lines })} />;
}

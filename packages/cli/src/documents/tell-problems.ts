import type { UploadPreview } from "@signalbox/contract";
import { fixFor } from "./fixes.ts";

/** Each problem with its place, its cause and what to do about it. */
export function tellProblems(tell: (text: string) => void, problems: UploadPreview["problems"]): void {
  for (const { line, column, cause, detail } of problems) {
    const place = [
      line === undefined ? [] : `row ${line}`,
      column === undefined ? [] : `column ${column}`,
    ].flat();
    tell(`    ${place.length === 0 ? "" : `${place.join(", ")}: `}${detail} (${cause})`);
    const fix = fixFor(cause);
    if (fix !== undefined) tell(`        ${fix}`);
  }
}

import type { UploadPreview } from "@signalbox/contract";
import type { ReactNode } from "react";
import { Panel } from "../../../design/index.ts";
import { useImportWords } from "./words.ts";

/** What users would read if the file were imported like this. */
export function FirstPairs({ pairs }: { pairs: UploadPreview["first_pairs"] }) {
  const text = useImportWords();
  return (
    <Panel title={text.firstPairs} lead={text.firstPairsLead} flush>
      <ul className="divide-y divide-line">
        {pairs.map(({ question, answer }, index) => (
          <li key={index} className="px-4 py-2 text-sm">
            <p className="font-medium wrap-anywhere text-ink">{question}</p>
            <p className="line-clamp-6 wrap-anywhere whitespace-pre-line text-ink-soft">{shown(answer)}</p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const MARKS = /\*\*([^*\n]{1,500})\*\*|\[([^\]\n]{1,500})\]\(https?:[^)\s]{1,2000}\)/g;

/** Bold parts and links as they will look; whatever else stays as it is written. */
function shown(answer: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let plain = 0;
  for (const match of answer.matchAll(MARKS)) {
    const [written, bold, link] = match;
    parts.push(answer.slice(plain, match.index));
    plain = match.index + written.length;
    if (bold !== undefined) parts.push(<strong key={plain}>{bold}</strong>);
    else
      parts.push(
        <span key={plain} className="underline">
          {link}
        </span>,
      );
  }
  return [...parts, answer.slice(plain)];
}

import type { Upload, UploadPreview } from "@signalbox/contract";
import { CircleAlert, CircleCheck, Copy, GitCompare, TriangleAlert } from "lucide-react";
import { Badge, Field, Panel, Select } from "../../../design/index.ts";
import { usePages } from "../../../service/index.ts";
import { columnName } from "./refused-csv.ts";
import { FirstPairs } from "./first-pairs.tsx";
import { PreviewRows } from "./preview-rows.tsx";
import type { Reading } from "./upload-file.ts";
import { useImportWords } from "./words.ts";

export interface ImportPreviewProps {
  agentId: string;
  upload: Upload;
  preview: UploadPreview;
  /** Another reading is on its way; what is shown is the last one. */
  isReading: boolean;
  reading: Reading;
  onRead: (change: Reading) => void;
}

/** What would become of the file, and all there is to correct before. */
export function ImportPreview({ agentId, upload, preview, isReading, reading, onRead }: ImportPreviewProps) {
  const text = useImportWords();
  const { failure, reads_as, problems, first_pairs, existing, certain } = preview;
  return (
    <div className="flex flex-col gap-4" aria-busy={isReading} aria-live="polite">
      <div className="flex flex-col gap-2">
        <p className="truncate text-sm font-medium text-ink">{upload.file_name}</p>
        {failure === null && <Counts preview={preview} />}
        {failure !== null && !certain && (
          <div role="alert" className="rounded-lg bg-warn-soft px-4 py-3 text-sm text-warn">
            <p className="font-medium">{text.chooseColumns}</p>
            <p className="wrap-anywhere">{text.chooseColumnsLead}</p>
          </div>
        )}
        {failure !== null && certain && (
          <div role="alert" className="rounded-lg bg-bad-soft px-4 py-3 text-sm text-bad">
            <p className="font-medium">{text.cannot}</p>
            <p className="wrap-anywhere">{failure.detail}</p>
          </div>
        )}
        {reads_as === "document" && <p className="text-sm text-ink-soft">{text.documentLead}</p>}
      </div>
      <Target agentId={agentId} reading={reading} onRead={onRead} />
      {reads_as === "pairs" && preview.rows.length > 0 && (
        <PreviewRows preview={preview} reading={reading} onRead={onRead} />
      )}
      {first_pairs.length > 0 && (
        <FirstPairs pairs={reads_as === "pairs" ? first_pairs.slice(0, PAIRS_SHOWN) : first_pairs} />
      )}
      {problems.length > 0 && <Problems problems={problems} />}
      {existing.examples.length > 0 && <Contradictions examples={existing.examples} />}
    </div>
  );
}

function Counts({ preview }: { preview: UploadPreview }) {
  const text = useImportWords();
  const { pairs, rejected, duplicates, conflicts, sections, problems, existing, encoding, delimiter } =
    preview;
  const warnings = problems.filter(({ cause }) => !isRefusal(cause)).length;
  const readAs = [
    encoding?.toUpperCase(),
    delimiter !== null && (text.delimiters[delimiter] ?? delimiter),
  ].filter((one) => one !== undefined && one !== false);
  return (
    <ul className="flex flex-wrap gap-1.5">
      {pairs > 0 && (
        <li>
          <Badge tone="good" icon={CircleCheck}>
            {text.counts.pairs(pairs)}
          </Badge>
        </li>
      )}
      {sections > 0 && (
        <li>
          <Badge tone="good">{text.sections(sections)}</Badge>
        </li>
      )}
      {rejected > 0 && (
        <li>
          <Badge tone="bad" icon={CircleAlert}>
            {text.counts.rejected(rejected)}
          </Badge>
        </li>
      )}
      {warnings > 0 && (
        <li>
          <Badge tone="warn" icon={TriangleAlert}>
            {text.counts.warnings(warnings)}
          </Badge>
        </li>
      )}
      {conflicts > 0 && (
        <li>
          <Badge tone="warn">{text.counts.conflicts(conflicts)}</Badge>
        </li>
      )}
      {existing.contradictions > 0 && (
        <li>
          <Badge tone="warn" icon={GitCompare}>
            {text.counts.contradictions(existing.contradictions)}
          </Badge>
        </li>
      )}
      {existing.same > 0 && (
        <li>
          <Badge icon={Copy}>{text.counts.same(existing.same)}</Badge>
        </li>
      )}
      {duplicates > 0 && (
        <li>
          <Badge>{text.counts.duplicates(duplicates)}</Badge>
        </li>
      )}
      {readAs.length > 0 && (
        <li>
          <Badge>{`${text.foundAs} ${readAs.join(text.comma)}`}</Badge>
        </li>
      )}
    </ul>
  );
}

/** Enough rows of a table to see whether the columns are right. */
const PAIRS_SHOWN = 3;
const LISTED_MAX = 100;

function Target({ agentId, reading, onRead }: Pick<ImportPreviewProps, "agentId" | "reading" | "onRead">) {
  const text = useImportWords();
  const { knowledge_base_id, doc_id } = reading;
  const documents = usePages("listAgentDocuments", {
    agent_id: agentId,
    knowledge_base_id: knowledge_base_id ?? undefined,
    limit: LISTED_MAX,
  }).entries;
  if (documents.length === 0) return null;
  return (
    <Field label={text.target} {...(doc_id !== undefined && { help: text.targetHelp })}>
      <Select
        label={text.target}
        value={doc_id ?? null}
        options={[
          { value: null, label: text.newDocument },
          ...documents.map(({ doc_id: value, doc_name }) => ({ value, label: text.replace(doc_name) })),
        ]}
        onChange={(value) => onRead({ doc_id: value ?? undefined })}
      />
    </Field>
  );
}

/** Remarks about a row that is imported; any other problem left the row out. */
const REMARKS = new Set([
  "conflict",
  "ignored_column",
  "sheet_ignored",
  "documents_joined",
  "splitter_ignored",
  "spreadsheet_error",
  "placeholder",
  "bare_fraction",
  "html_left_out",
  "chunk_token_raised",
  "chunk_token_lowered",
]);

function isRefusal(cause: string): boolean {
  return !REMARKS.has(cause);
}

function Problems({ problems }: Pick<UploadPreview, "problems">) {
  const text = useImportWords();
  return (
    <Panel title={text.problems} lead={text.problemsLead} flush>
      <ul className="max-h-80 divide-y divide-line overflow-y-auto" tabIndex={0} aria-label={text.problems}>
        {problems.map(({ line, column, cause, detail }, index) => (
          <li key={index} className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-4 py-2 text-sm">
            <Badge tone={isRefusal(cause) ? "bad" : "warn"}>
              {isRefusal(cause) ? text.refused : text.warning}
            </Badge>
            {line !== undefined && (
              <span className="tabular text-ink-faint">
                {text.at(line, column === undefined ? undefined : columnName(column))}
              </span>
            )}
            <span className="inline-block min-w-0 wrap-anywhere text-ink first-letter:uppercase">
              {text.causes[cause] ?? detail}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Contradictions({ examples }: { examples: UploadPreview["existing"]["examples"] }) {
  const text = useImportWords();
  return (
    <Panel title={text.contradictions} lead={text.contradictionsLead} flush>
      <ul
        className="max-h-80 divide-y divide-line overflow-y-auto"
        tabIndex={0}
        aria-label={text.contradictions}
      >
        {examples.map(({ line, question, answer, existing_answer }, index) => (
          <li key={index} className="px-4 py-3 text-sm">
            <p className="font-medium wrap-anywhere text-ink">
              {question}
              {line !== null && (
                <span className="ml-2 font-normal text-ink-faint">{text.at(line, undefined)}</span>
              )}
            </p>
            <dl className="mt-1 grid gap-x-4 gap-y-1 sm:grid-cols-2">
              <div>
                <dt className="text-xs text-ink-faint">{text.inFile}</dt>
                <dd className="wrap-anywhere text-ink-soft">{answer}</dd>
              </div>
              <div>
                <dt className="text-xs text-ink-faint">{text.inKnowledge}</dt>
                <dd className="wrap-anywhere text-ink-soft">{existing_answer}</dd>
              </div>
            </dl>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

import type { DocumentRevision, Upload } from "@signalbox/contract";
import { CircleCheck, Download, TriangleAlert } from "lucide-react";
import { Button, Drawer, Problem, showProblem } from "../../../design/index.ts";
import { call } from "../../../service/index.ts";
import { useWords } from "../../../words/index.ts";
import { HeldImport } from "../saved/held-import.tsx";
import { saveFile } from "../save-file.ts";
import { ImportPreview } from "./preview.tsx";
import { refusedCsv } from "./refused-csv.ts";
import { useImport } from "./use-import.ts";
import type { Reading } from "./upload-file.ts";
import { useImportWords } from "./words.ts";

export interface ImportDrawerProps {
  agentId: string;
  file: File;
  /** Where it goes unless somebody chooses otherwise. */
  place: Reading;
  onShow: (documentId: string) => void;
  onClose: () => void;
}

/** From a file to questions: sent, shown as it would be read, corrected, imported. */
export function ImportDrawer({ agentId, file, place, onShow, onClose }: ImportDrawerProps) {
  const text = useImportWords();
  const importing = useImport(agentId, file, place);
  const { stage, reading } = importing;
  return (
    <Drawer open title={text.title} onOpenChange={onClose}>
      <div className="flex flex-col gap-5 p-4 sm:p-6">
        {stage.at === "uploading" && <Progress label={text.uploading(file.name)} share={stage.share} />}
        {stage.at === "preview" && (
          <Previewing
            agentId={agentId}
            upload={stage.upload}
            isReading={stage.isReading}
            reading={reading}
            onRead={(change) => importing.read(change)}
            onConfirm={() => importing.confirm(stage.upload)}
            onClose={onClose}
          />
        )}
        {stage.at === "importing" && <Importing revision={stage.revision} />}
        {stage.at === "held" && (
          <HeldImport
            agentId={agentId}
            revision={stage.revision}
            onPublished={() => onShow(stage.revision.doc_id)}
          />
        )}
        {(stage.at === "imported" || stage.at === "refused") && (
          <Outcome agentId={agentId} revision={stage.revision} onShow={onShow} onClose={onClose} />
        )}
        {stage.at === "failed" && <Problem error={stage.error} onRetry={() => importing.again()} />}
      </div>
    </Drawer>
  );
}

interface PreviewingProps {
  agentId: string;
  upload: Upload;
  isReading: boolean;
  reading: Reading;
  onRead: (change: Reading) => void;
  onConfirm: () => void;
  onClose: () => void;
}

function Previewing({ upload, isReading, onConfirm, onClose, ...rest }: PreviewingProps) {
  const text = useImportWords();
  const { preview } = upload;
  if (preview === null) return <Progress label={text.reading} />;
  return (
    <>
      <ImportPreview upload={upload} preview={preview} isReading={isReading} {...rest} />
      <footer className="sticky bottom-0 -mx-4 flex flex-wrap justify-end gap-2 border-t border-line bg-page px-4 py-3 sm:-mx-6 sm:px-6">
        <Button onClick={onClose}>{text.cancel}</Button>
        <Button tone="primary" busy={isReading} disabled={preview.failure !== null} onClick={onConfirm}>
          {preview.reads_as === "document" ? text.confirmDocument : text.confirm(preview.pairs)}
        </Button>
      </footer>
    </>
  );
}

/** Without a share: it is not known how long it takes. */
function Progress({ label, share }: { label: string; share?: number }) {
  const percent = share === undefined ? undefined : Math.round(share * 100);
  return (
    <div className="flex flex-col gap-3 py-10" role="status">
      <p className="text-center text-sm text-ink-soft">{label}</p>
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        className="h-2 overflow-hidden rounded-full bg-hover"
      >
        <span
          className={`block h-full rounded-full bg-accent-fill transition-[width] duration-300 ${percent === undefined ? "shimmer" : ""}`}
          style={{ width: `${percent ?? 100}%` }}
        />
      </div>
    </div>
  );
}

function Importing({ revision }: { revision: DocumentRevision }) {
  const text = useImportWords();
  const { state, chunks_done, chunks_total } = revision;
  const label = text.steps[state === "waiting" ? "waiting" : "working"];
  return chunks_total > 0 ? (
    <Progress label={label} share={chunks_done / chunks_total} />
  ) : (
    <Progress label={label} />
  );
}

interface OutcomeProps extends Pick<ImportDrawerProps, "agentId" | "onShow" | "onClose"> {
  revision: DocumentRevision;
}

function Outcome({ agentId, revision, onShow, onClose }: OutcomeProps) {
  const text = useImportWords();
  const words = useWords();
  const isFailed = revision.state === "failed";
  const Icon = isFailed ? TriangleAlert : CircleCheck;
  const refused = Math.max(revision.rejected, isFailed ? revision.problems.length : 0);
  const download = () =>
    downloadRefused(agentId, revision, [text.row, text.columnHeading, text.problem]).catch((error: unknown) =>
      showProblem(error, words),
    );
  return (
    <div className="mx-auto flex max-w-lg flex-col items-center gap-1 py-10 text-center" role="status">
      <span
        className={`mb-3 flex size-10 items-center justify-center rounded-xl ${isFailed ? "bg-bad-soft text-bad" : "bg-good-soft text-good"}`}
      >
        <Icon className="size-5" aria-hidden />
      </span>
      <h2 className="text-base font-semibold text-ink">
        {isFailed ? text.failed : text.done(revision.pairs)}
      </h2>
      <p className="text-sm wrap-anywhere text-ink-soft">{isFailed ? revision.detail : text.doneLead}</p>
      <div className="mt-5 flex flex-wrap justify-center gap-2">
        {refused > 0 && (
          <Button icon={<Download className="size-3.5" aria-hidden />} onClick={() => void download()}>
            {text.download(refused)}
          </Button>
        )}
        {isFailed ? (
          <Button onClick={onClose}>{text.cancel}</Button>
        ) : (
          <Button tone="primary" onClick={() => onShow(revision.doc_id)}>
            {text.show}
          </Button>
        )}
      </div>
    </div>
  );
}

export async function downloadRefused(
  agentId: string,
  { doc_id, revision, file_name }: DocumentRevision,
  headings: [string, string, string],
): Promise<void> {
  const rows = await call("listRefusedRows", { agent_id: agentId, doc_id, revision });
  const name = `refused-${(file_name ?? "rows").replace(/\.[^.]*$/, "")}.csv`;
  saveFile(new Blob([refusedCsv(rows, headings)], { type: "text/csv" }), name);
}

import { sql } from "kysely";
import { readQaFile, type FileOnDisk, type FileFailure, type QaFileReport } from "../intake/index.ts";
import { createPairIndexer } from "./index-pairs.ts";
import { holdRevision, type ClaimedRevision } from "./ingest-store.ts";
import type { IngestParts, StepOutcome } from "./ingest-parts.ts";
import { readKeptTags } from "./kept-tags.ts";
import { openPairCopy } from "./pair-copy.ts";
import { publishUnlessHeld } from "./publication-gate.ts";

/**
 * A file of pairs, from its first row to the moved pointer, in one transaction: whatever ends it half way, a bad row or a
 * dead process, leaves nothing behind.
 */
export async function importPairs(
  parts: IngestParts,
  revision: ClaimedRevision,
  file: FileOnDisk,
): Promise<StepOutcome> {
  const outcome = await importAndPublish(parts, revision, file);
  if (outcome === "published" || outcome === "held")
    await sql`select signalbox_settle_terms(${revision.knowledgeBaseId})`.execute(parts.db);
  return outcome;
}

function importAndPublish(
  parts: IngestParts,
  revision: ClaimedRevision,
  file: FileOnDisk,
): Promise<StepOutcome> {
  const { bulk, limits } = parts;
  return bulk.inBulkTransaction<StepOutcome>(async (db, copyInto) => {
    if (!(await holdRevision(db, revision))) return { keep: false, result: "interrupted" };
    const indexer = createPairIndexer(revision.knowledgeBaseId, await readKeptTags(db, revision));
    const copy = await openPairCopy(db, copyInto, revision);
    const { headerRow, splitter, columns } = revision;
    const report = await readQaFile(file, { headerRow, splitter, columns, limits }, async (pairs) =>
      copy.write(await indexer.index(pairs)),
    );
    const failure = report.kind === "failed" ? report : shortfall(report);
    if (failure !== undefined) {
      await copy.abandon();
      return { keep: false, result: failure };
    }
    await copy.finish();
    const { rowsRead, pairs, rejected, duplicates, blank, conflicts } = report as QaFileReport;
    const { problems, refused, encoding, delimiter, headerRows, ignoredColumns } = report as QaFileReport;
    const result = await publishUnlessHeld(parts, db, revision, {
      rowsRead,
      pairs,
      rejected,
      duplicates,
      blank,
      conflicts,
      characters: indexer.characters(),
      statistics: indexer.statistics(),
      report: { problems, encoding, delimiter, headerRows, ignoredColumns },
      refused,
    });
    return { keep: true, result };
  });
}

/** Decisions, 4.2: an empty import never replaces anything. */
function shortfall({ pairs, problems }: QaFileReport): FileFailure | undefined {
  if (pairs > 0) return undefined;
  return { kind: "failed", cause: "no_pairs", detail: "the file contains no pairs", problems };
}

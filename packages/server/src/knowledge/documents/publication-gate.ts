import { sql } from "kysely";
import type { Database } from "../../platform/index.ts";
import { embedBeforePublishing } from "./embed-pairs.ts";
import type { IngestParts, StepOutcome } from "./ingest-parts.ts";
import type { ClaimedRevision } from "./ingest-store.ts";
import { publishRevision, storeHeld, type RevisionContent } from "./revision-store.ts";

const NAMED = 3;
const NAMED_CHARACTERS = 80;

/**
 * Publishes a content, unless it makes a saved question fail: then everything is kept but the switch. The switch is tried behind a
 * savepoint, so that the questions are asked of what readers would see, and readers see nothing of it.
 */
export async function publishUnlessHeld(
  parts: IngestParts,
  db: Database,
  revision: ClaimedRevision,
  content: RevisionContent,
): Promise<Extract<StepOutcome, "published" | "held">> {
  const gate = await parts.gate?.open(revision.agentId);
  if (gate === undefined) {
    await publishRevision(db, revision, content);
    return "published";
  }
  await embedBeforePublishing(parts, db, revision, content.pairs);
  await sql`savepoint unpublished`.execute(db);
  if ((await publishRevision(db, revision, content)) === "superseded") return "published";
  const change = "restored" in revision.source ? "restore" : "import";
  const verdict = await gate.judge(db, revision, change);
  if (verdict.worse.length > 0) {
    await sql`rollback to savepoint unpublished`.execute(db);
    await storeHeld(db, revision, content, { cause: "saved_questions", detail: detailOf(verdict.worse) });
  }
  await verdict.record(db);
  return verdict.worse.length > 0 ? "held" : "published";
}

function detailOf(worse: string[]): string {
  const named = worse.slice(0, NAMED).map((question) => `"${shortened(question)}"`);
  const more = worse.length > NAMED ? ` and ${worse.length - NAMED} more` : "";
  const count = worse.length === 1 ? "1 saved question" : `${worse.length} saved questions`;
  return `${count} would no longer pass: ${named.join(", ")}${more}`;
}

function shortened(question: string): string {
  const characters = [...question];
  return characters.length <= NAMED_CHARACTERS
    ? question
    : `${characters.slice(0, NAMED_CHARACTERS).join("")}…`;
}

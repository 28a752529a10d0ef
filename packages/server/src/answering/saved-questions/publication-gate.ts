import type { SavedQuestionResult } from "@signalbox/contract";
import { holdsFailingImports } from "../../agents/index.ts";
import {
  createCosineFloors,
  createStatisticsCache,
  type PublicationGate,
  type RevisionKey,
  type Verdict,
} from "../../knowledge/index.ts";
import { newId, type Database } from "../../platform/index.ts";
import type { KnowledgeParts } from "../agent-knowledge.ts";
import { checkQuestions, type QuestionToCheck } from "./check-questions.ts";
import { finishRun, passedIn, readSavedQuestions } from "./run-store.ts";

/** Holds an import back that makes a saved question fail, for agents that want it so. */
export function createPublicationGate(parts: KnowledgeParts): PublicationGate {
  return {
    async open(agentId) {
      if (!(await holdsFailingImports(parts.db, agentId))) return undefined;
      const questions = await readSavedQuestions(parts.db, agentId);
      if (questions.length === 0) return undefined;
      // What users are answered at this moment: knowledge may have been edited since the last run.
      const before = passedIn(await checkQuestions(parts, agentId, questions, new Map()));
      return { judge: (db, key, trigger) => judge(parts, db, { key, trigger, questions, before }) };
    },
  };
}

interface Judged {
  key: RevisionKey;
  trigger: "import" | "restore";
  questions: QuestionToCheck[];
  before: ReadonlyMap<string, boolean>;
}

async function judge(
  parts: KnowledgeParts,
  db: Database,
  { key, trigger, questions, before }: Judged,
): Promise<Verdict> {
  // What this transaction wrote, nobody else sees: nothing that is kept for others may be used, or left for them.
  const unpublished = {
    ...parts,
    search: db,
    statistics: createStatisticsCache(db),
    bases: undefined,
    floors: createCosineFloors(),
  };
  const results = await checkQuestions(unpublished, key.agentId, questions, before);
  const worse = results.filter(({ change }) => change === "worse").map(({ question }) => question);
  return { worse, record: (into) => record(into, { key, trigger }, results, worse.length > 0) };
}

async function record(
  db: Database,
  { key: { agentId, documentId, revision }, trigger }: Pick<Judged, "key" | "trigger">,
  results: SavedQuestionResult[],
  isHeld: boolean,
): Promise<void> {
  const id = newId();
  await db
    .insertInto("saved_question_run")
    .values({ agent_id: agentId, id, trigger, document_id: documentId, revision, is_held: isHeld })
    .execute();
  await finishRun(db, agentId, id, results);
}

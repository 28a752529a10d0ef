import { isDeepStrictEqual } from "node:util";
import { ACKNOWLEDGED, normalTags, type Acknowledged, type InputOf, type Pair } from "@signalbox/contract";
import { requireLiveAgent, writeAsOperator, type OperatorParts } from "../../agents/index.ts";
import { audit, Refusal, refuse, type Database, type OperatorCaller } from "../../platform/index.ts";
import type { ClosingParts } from "./add-pair.ts";
import { readWritten } from "./list-pairs.ts";
import { readPairId } from "./pair-id.ts";
import { readVersion, type PairTexts } from "./pair-versions.ts";
import { lockPair, writePair, type LockedPair } from "./write-pair.ts";

/** A field that is not given stays. The same texts again are no change. */
export function changePair(
  { closeQuestions, ...parts }: OperatorParts & ClosingParts,
  caller: OperatorCaller,
  { agent_id, pair_id, question, answer, alternates, tags, version, ...closed }: InputOf<"changePair">,
): Promise<Pair | Refusal> {
  return editPair(parts, caller, { agent_id, pair_id }, async (db, pair, who) => {
    const { stored } = pair;
    if (stored === undefined)
      return refuse("stateConflict", "the pair was deleted; restore one of its versions to bring it back");
    if (version !== undefined && version !== null && version !== pair.version)
      return refuse("stateConflict", `the pair was changed since: it is at version ${pair.version}`);
    const texts = {
      question: question ?? stored.question,
      answer: answer ?? stored.answer,
      alternates: alternates ?? stored.alternates,
      tags: tags === undefined || tags === null ? stored.tags : normalTags(tags),
    };
    if (!isDeepStrictEqual(texts, textsOf(stored))) {
      await writePair(db, who, pair, "changed", texts);
      await auditPair(db, who, pair, "pair.change");
    }
    await closeQuestions(db, who, agent_id, closed);
    return readWritten(db, agent_id, pair.place);
  });
}

/** Deleting twice is no mistake. */
export function deletePair(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, pair_id }: InputOf<"deletePair">,
): Promise<Acknowledged | Refusal> {
  return editPair(parts, caller, { agent_id, pair_id }, async (db, pair, who) => {
    if (pair.stored !== undefined) {
      await writePair(db, who, pair, "deleted", undefined);
      await auditPair(db, who, pair, "pair.delete");
    }
    return ACKNOWLEDGED;
  });
}

/** Nothing is lost by it: what the pair says now stays a version, too. */
export function restorePair(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, pair_id, version }: InputOf<"restorePair">,
): Promise<Pair | Refusal> {
  return editPair(parts, caller, { agent_id, pair_id }, async (db, pair, who) => {
    const earlier = await readVersion(db, agent_id, pair.place, version);
    const isAsImported = version === 1 && !pair.isVersionKept;
    if (earlier === undefined && !isAsImported)
      return refuse("notFound", `the pair has no version ${version}; its history lists them`);
    const isSame =
      pair.stored !== undefined &&
      (earlier === undefined || isDeepStrictEqual(textsOf(earlier), textsOf(pair.stored)));
    if (!isSame && earlier !== undefined) {
      await writePair(db, who, pair, "restored", textsOf(earlier));
      await auditPair(db, who, pair, "pair.restore");
    }
    return readWritten(db, agent_id, pair.place);
  });
}

/** One change of one pair: in one transaction, once for each Idempotency-Key. */
function editPair<Result>(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, pair_id }: { agent_id: string; pair_id: string },
  edit: (db: Database, pair: LockedPair, who: OperatorCaller) => Promise<Result | Refusal>,
): Promise<Result | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    const pair = await lockPair(db, agent_id, readPairId(pair_id));
    return pair instanceof Refusal ? pair : edit(db, pair, caller);
  });
}

function textsOf({ question, answer, alternates, tags }: PairTexts): PairTexts {
  return { question, answer, alternates, tags };
}

async function auditPair(
  db: Database,
  caller: OperatorCaller,
  { agentId, place, version }: LockedPair,
  action: string,
): Promise<void> {
  const { documentId, ordinal } = place;
  const detail = { ordinal, version: version + 1 };
  await audit(db, caller, { action, agentId, subjectId: documentId, detail });
}

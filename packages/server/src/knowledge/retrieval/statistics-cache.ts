import { createTimeSlice, type Database } from "../../platform/index.ts";
import { addStatistics, noStatistics, withoutDebts, type Statistics } from "./statistics.ts";

/** Word counts of whole bases, kept for as long as their version is the current one. */
export interface StatisticsCache {
  of(base: VersionedBase): Promise<Statistics>;
  /** Whether the base has vectors of this model. Those of a first import count once all of them are made: that is a new version. */
  hasVectors(base: VersionedBase, model: string): Promise<boolean>;
}

export interface VersionedBase {
  agentId: string;
  id: string;
  version: number;
}

interface Kept {
  version: number;
  statistics: Statistics;
  terms: number;
  vectorModels: Set<string>;
}

/** About 100 bytes a term: half a million terms are 50 MB. */
const TERMS_MAX = 500_000;

/** Counts of a large base change little from version to version: it is searched by the old ones until the new are here. */
const WAITS_FOR_NEWEST_BELOW_PAIRS = 5_000;

export function createStatisticsCache(db: Database): StatisticsCache {
  const kept = new Map<string, Kept>();
  const loading = new Map<string, Promise<Kept>>();
  let terms = 0;

  function forget(id: string): void {
    terms -= kept.get(id)?.terms ?? 0;
    kept.delete(id);
  }

  function keep(id: string, loaded: Kept): void {
    forget(id);
    kept.set(id, loaded);
    terms += loaded.terms;
    for (const oldest of kept.keys()) {
      if (terms <= TERMS_MAX || oldest === id) break;
      forget(oldest);
    }
  }

  /** Many who ask at once wait for one look. */
  function load(base: VersionedBase): Promise<Kept> {
    const key = `${base.id} ${base.version}`;
    const underWay = loading.get(key);
    if (underWay !== undefined) return underWay;
    const started = loadStatistics(db, base)
      .then(({ statistics, vectorModels }) => {
        const loaded = { version: base.version, statistics, terms: termsIn(statistics), vectorModels };
        keep(base.id, loaded);
        return loaded;
      })
      .finally(() => loading.delete(key));
    loading.set(key, started);
    return started;
  }

  async function find(base: VersionedBase): Promise<Kept> {
    const found = kept.get(base.id);
    if (found === undefined) return load(base);
    // Used last, forgotten last.
    kept.delete(base.id);
    kept.set(base.id, found);
    if (found.version === base.version) return found;
    const loaded = load(base);
    if (found.statistics.pairs < WAITS_FOR_NEWEST_BELOW_PAIRS) return loaded;
    loaded.catch(() => undefined);
    return found;
  }

  return {
    of: async (base) => (await find(base)).statistics,
    hasVectors: async (base, model) => (await find(base)).vectorModels.has(model),
  };
}

function termsIn({ question, answer, trigram }: Statistics): number {
  return question.occurrences.size + answer.occurrences.size + trigram.occurrences.size;
}

async function loadStatistics(
  db: Database,
  { agentId, id }: VersionedBase,
): Promise<Pick<Kept, "statistics" | "vectorModels">> {
  const rows = await db
    .selectFrom("document_revision")
    .select(["statistics", "embedding_with"])
    .where("agent_id", "=", agentId)
    .where("knowledge_base_id", "=", id)
    .where("state", "in", ["current", "appended"])
    .execute();
  const all = noStatistics();
  const giveWay = createTimeSlice();
  for (const { statistics } of rows) {
    if (statistics !== null) await addStatistics(all, statistics, giveWay);
    await giveWay();
  }
  const models = rows.flatMap(({ embedding_with }) => embedding_with ?? []);
  return { statistics: withoutDebts(all), vectorModels: new Set(models) };
}

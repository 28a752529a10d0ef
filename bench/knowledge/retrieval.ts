import { Kysely, PostgresDialect, type CompiledQuery } from "kysely";
import pg from "pg";
import { createStatisticsCache, findPairs, readBases } from "../../packages/server/src/knowledge/index.ts";
import type { Database } from "../../packages/server/src/platform/index.ts";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import type { FileServer } from "@signalbox/tests/support/file-server.ts";
import { randomNumbers } from "../eval/datasets.ts";
import { percentile } from "../support/report.ts";
import { callerOf, importFile } from "./import.ts";
import { csvOf, paraphraseOf, syntheticPairs, type SyntheticPair } from "./synthetic-pairs.ts";

export interface SearchedBase {
  agentId: string;
  baseId: string;
  pairs: SyntheticPair[];
}

export async function fillBase(bed: Bed, files: FileServer, size: number): Promise<SearchedBase> {
  const { client, agentId, baseId } = await callerOf(bed);
  const pairs = syntheticPairs(size, 100 + size);
  await importFile(client, files.put(`${size}.csv`, { bytes: csvOf(pairs) }), `${size}.csv`);
  return { agentId, baseId, pairs };
}

const BASES_AN_AGENT = 100;
const AT_ONCE = 6;

/** Small bases, as a large installation has them: made through the API, a document each. */
export async function fillManyBases(bed: Bed, bases: number, pairsEach: number): Promise<SearchedBase[]> {
  const filled: SearchedBase[] = [];
  for (let from = 0; from < bases; from += BASES_AN_AGENT) {
    const { client, agentId } = await callerOf(bed);
    const waiting = Array.from(
      { length: Math.min(BASES_AN_AGENT, bases - from) },
      (_, index) => from + index,
    );
    const work = async () => {
      for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
        const { knowledge_base_id } = await client.knowledge.createBase({
          name: `Base ${index}`,
          desc: "bench",
        });
        const pairs = syntheticPairs(pairsEach, 1_000_000 + index);
        await client.knowledge.add({ purpose: "QA_TEXT", name: "Pairs", knowledge_base_id, qaList: pairs });
        filled.push({ agentId, baseId: knowledge_base_id, pairs });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
  return filled;
}

export interface RetrievalFigures {
  p50Ms: number;
  p95Ms: number;
  sqlP50Ms: number;
  sqlP95Ms: number;
  /** Time of the whole search over the time of its candidate query alone. */
  overSql: number;
  hit1: number;
}

/** Searches as the service does, and runs the candidate query of each search again by itself, one after the other. */
export async function measureRetrieval(
  bed: Bed,
  bases: SearchedBase[],
  queries: number,
): Promise<RetrievalFigures> {
  const pool = new pg.Pool({ connectionString: bed.database.url, options: "-c role=signalbox_work", max: 1 });
  let candidates: CompiledQuery | undefined;
  const db: Database = new Kysely({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => {
      if (query.sql.includes("ts_rank")) candidates = query;
    },
  });
  await bed.database.query("vacuum analyze qa_pair");
  const statistics = createStatisticsCache(db);
  const chance = randomNumbers(7);
  const searchMs: number[] = [];
  const sqlMs: number[] = [];
  let hits = 0;
  const warmUp = Math.ceil(queries / 10);
  for (let index = -warmUp; index < queries; index += 1) {
    const { agentId, baseId, pairs } = bases[Math.floor(chance() * bases.length)]!;
    const wanted = pairs[Math.floor(chance() * pairs.length)]!;
    const asked = paraphraseOf(wanted, chance);
    const began = performance.now();
    const found = await findPairs(db, statistics, {
      agentId,
      bases: await readBases(db, agentId, [baseId]),
      asked,
      most: 5,
    });
    const searched = performance.now() - began;
    if (candidates === undefined) throw new Error("a search without a candidate query");
    const again = performance.now();
    await pool.query(candidates.sql, [...candidates.parameters]);
    const queried = performance.now() - again;
    if (index < 0) continue;
    searchMs.push(searched);
    sqlMs.push(queried);
    if (found[0]?.question === wanted.question) hits += 1;
  }
  await db.destroy();
  const sum = (times: number[]) => times.reduce((total, time) => total + time, 0);
  return {
    p50Ms: percentile(searchMs, 0.5),
    p95Ms: percentile(searchMs, 0.95),
    sqlP50Ms: percentile(sqlMs, 0.5),
    sqlP95Ms: percentile(sqlMs, 0.95),
    overSql: sum(searchMs) / sum(sqlMs),
    hit1: hits / queries,
  };
}

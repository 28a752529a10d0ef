import { isDeepStrictEqual } from "node:util";
import { openRows } from "@signalbox/tests/support/rows.ts";
import {
  createBaseCache,
  createStatisticsCache,
  findPairs,
  publishText,
  readBases,
  type BaseCache,
  type FoundPair,
} from "../packages/server/src/knowledge/index.ts";
import { newId, openAgentDatabase, openSearchDatabase } from "../packages/server/src/platform/index.ts";
import { requireData } from "./eval/data-directory.ts";
import {
  randomNumbers,
  readBanking77,
  readClinc150,
  readDebianFaq,
  readStackFaq,
  type Dataset,
} from "./eval/datasets.ts";
import { paraphraseOf, syntheticPairs } from "./knowledge/synthetic-pairs.ts";
import { percentile, readOptions, report } from "./support/report.ts";

// `SIGNALBOX_EVAL_DATA=DIR npm run bench -- memory --json`: small bases searched in memory beside PostgreSQL, question by question.
const options = readOptions({ questions: 300 });
const data = requireData(process.env["SIGNALBOX_EVAL_DATA"]);
const EXAMPLES = 5;

await using rows = await openRows();
const connection = { url: rows.url, poolSize: 2, onError: () => undefined };
const agents = openAgentDatabase(connection);
const searched = openSearchDatabase(connection);
const { db } = searched;

interface Asked {
  pairs: { question: string; answer: string }[];
  questions: string[];
}

async function sets(): Promise<Record<string, Asked>> {
  const chance = randomNumbers(7);
  const synthetic = syntheticPairs(1_000, 7);
  const found: Record<string, Asked> = {
    synthetic_1000: { pairs: synthetic, questions: synthetic.map((pair) => paraphraseOf(pair, chance)) },
  };
  const read: Record<string, Dataset> = {
    stackfaq: await readStackFaq(data),
    banking77: await readBanking77(data, EXAMPLES),
    clinc: await readClinc150(data, EXAMPLES),
  };
  for (const language of ["en", "de", "fr", "ru", "ja", "zh-cn"])
    read[`debian_${language}`] = await readDebianFaq(data, language, { dropped: 0.3, seeds: [1, 2] });
  for (const [name, { pairs, queries, outOfScope }] of Object.entries(read))
    found[name] = { pairs, questions: [...queries.map(({ text }) => text), ...outOfScope] };
  return found;
}

const figures: Record<string, Record<string, number>> = {
  pairs: {},
  questions: {},
  identical: {},
  postgres_p50_ms: {},
  postgres_p95_ms: {},
  memory_p50_ms: {},
  memory_p95_ms: {},
};
const { agentId } = await rows.addAgent();
for (const [name, { pairs, questions }] of Object.entries(await sets())) {
  const [baseId, documentId] = [newId(), newId()];
  await rows.insert("knowledge_base", { id: baseId, agent_id: agentId, name });
  await rows.insert("document", {
    id: documentId,
    agent_id: agentId,
    knowledge_base_id: baseId,
    name,
    purpose: "QA_TEXT",
  });
  const list = pairs.map(({ question, answer }) => ({
    question: question.slice(0, 1_000),
    answer: answer.slice(0, 25_000),
  }));
  await agents.asAgent(agentId, (own) =>
    publishText(own, { agentId, knowledgeBaseId: baseId, documentId }, list),
  );
  await rows.query("vacuum analyze qa_pair, document");
  const bases = await readBases(db, agentId, [baseId]);
  const statistics = createStatisticsCache(db);
  const cache = createBaseCache(db, { bytesMax: 1e9, onError: console.error });
  while (cache.of(bases[0]!, pairs.length) === undefined)
    await new Promise((resolve) => setTimeout(resolve, 10));

  const search = async (
    asked: string,
    kept: BaseCache | undefined,
    tookMs: number[],
  ): Promise<FoundPair[]> => {
    const began = performance.now();
    const found = await findPairs(db, statistics, { agentId, bases, asked, most: 50 }, kept);
    tookMs.push(performance.now() - began);
    return found;
  };
  const every = Math.max(1, Math.floor(questions.length / options.questions));
  const chosen = questions.filter((_, index) => index % every === 0).slice(0, options.questions);
  const [postgresMs, memoryMs]: number[][] = [[], []];
  let identical = 0;
  for (const asked of chosen) {
    const expected = await search(asked, undefined, postgresMs!);
    if (isDeepStrictEqual(await search(asked, cache, memoryMs!), expected)) identical += 1;
    else console.error(`${name}: other pairs for ${JSON.stringify(asked)}`);
  }
  figures["pairs"]![name] = pairs.length;
  figures["questions"]![name] = chosen.length;
  figures["identical"]![name] = identical;
  figures["postgres_p50_ms"]![name] = percentile(postgresMs!, 0.5);
  figures["postgres_p95_ms"]![name] = percentile(postgresMs!, 0.95);
  figures["memory_p50_ms"]![name] = percentile(memoryMs!, 0.5);
  figures["memory_p95_ms"]![name] = percentile(memoryMs!, 0.95);
}
await agents.close();
await searched.close();

report("memory", figures);

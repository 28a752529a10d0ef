import { createClient, type Client } from "@signalbox/sdk";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { Dataset } from "./datasets.ts";
import type { Asked } from "./measures.ts";

const AT_ONCE = 6;
const PAIRS_A_CALL = 5_000;
const TOP_K = 50;

export interface Teaching {
  embeddingUrl: string | undefined;
  /** The built-in encoder knows English; its vectors are made in the background, like those of a model. */
  isEnglish: boolean;
}

/** An agent that knows the pairs, through the API as anybody would teach it. */
export async function teach(
  bed: Bed,
  name: string,
  { pairs }: Dataset,
  { embeddingUrl, isEnglish }: Teaching,
): Promise<Client> {
  const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken });
  const { agent_id } = await operator.agents.create({ name });
  const { api_key } = await operator.keys.create({ agent_id, name: "eval" });
  const client = createClient({ baseUrl: bed.baseUrl, apiKey: api_key, timeoutMs: 120_000 });
  if (embeddingUrl !== undefined)
    await operator.models.setEmbedding({
      agent_id,
      url: embeddingUrl,
      model: "use-lite",
      timeout_seconds: 120,
    });
  const ids: string[] = [];
  for (let from = 0; from < pairs.length; from += PAIRS_A_CALL) {
    const qaList = pairs.slice(from, from + PAIRS_A_CALL).map(({ question, answer }) => ({
      question: question.slice(0, 1_000),
      answer: answer.slice(0, 25_000),
    }));
    const { doc } = await client.knowledge.add({ purpose: "QA_TEXT", name: `${name} ${from}`, qaList });
    ids.push(...doc.map(({ doc_id }) => doc_id));
  }
  if (embeddingUrl !== undefined || isEnglish) {
    await eventually(
      `every pair of ${name} has its vector`,
      async () =>
        (await client.knowledge.getDocuments({ data_ids: ids })).every(
          (document) => document.pairs_with_vectors === document.pairs,
        ),
      { timeoutMs: 1_800_000, everyMs: 1_000 },
    );
  }
  return client;
}

/** Asks the retrieval test, which runs the code that answers users. */
export async function ask(
  client: Client,
  { pairs }: Dataset,
  questions: { text: string; group?: string }[],
  embeddingRate?: number,
): Promise<Asked[]> {
  const groupOf = new Map(
    pairs.map(({ question, answer, group }) => [`${question.slice(0, 1_000)}\n${answer}`, group]),
  );
  const groupOfQuestion = new Map(pairs.map(({ question, group }) => [question.slice(0, 1_000), group]));
  const asked: Asked[] = [];
  let next = 0;
  async function work(): Promise<void> {
    for (let at = next++; at < questions.length; at = next++) {
      const { text, group } = questions[at]!;
      const { list } = await client.knowledge.search({
        prompt: text,
        top_k: TOP_K,
        ...(embeddingRate === undefined ? {} : { embedding_rate: embeddingRate }),
      });
      const groups = list.map(
        ({ question, content }) => groupOf.get(content) ?? groupOfQuestion.get(question) ?? "",
      );
      asked[at] = { ranking: [...new Set(groups)], topScore: list[0]?.score ?? 0, right: group };
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return asked;
}

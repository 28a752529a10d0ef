import { readAgentSettings, readModels, type AgentSettings, type ConfiguredModels } from "../agents/index.ts";
import {
  embedAsked,
  findPairs,
  hasVectorTable,
  readBases,
  type CosineFloors,
  type DenseSearch,
  type FoundPair,
  type StatisticsCache,
} from "../knowledge/index.ts";
import {
  openEmbeddingModel,
  type AgentShare,
  type Database,
  type Log,
  type ModelQuota,
  type Outbound,
  type Sealer,
} from "../platform/index.ts";
import { thresholdsOf, type Thresholds } from "./thresholds.ts";

export interface KnowledgeParts {
  /** The work role's, for what is not the api role's to read: models and their keys. */
  db: Database;
  /** Where pairs are searched; every query names the agent. */
  search: Database;
  /** One agent's share of those connections. */
  searches: AgentShare;
  sealer: Sealer;
  outbound: Outbound;
  modelQuota: ModelQuota;
  /** Where the service is found from outside; undefined: what is spoken could not be fetched. */
  publicUrl?: string | undefined;
  statistics: StatisticsCache;
  floors: CosineFloors;
  log: Log;
}

/** What an agent knows and how it looks for it, as it was set up at one moment. */
export interface AgentKnowledge {
  agentId: string;
  settings: AgentSettings;
  models: ConfiguredModels;
  /** What is asked as a vector too, where the agent has a model for that. */
  read(asked: string, embeddingRate?: number): Promise<ReadQuestion>;
  find(question: ReadQuestion, choice: Choice): Promise<FoundPair[]>;
  hasBases(ids: string[]): boolean;
}

export interface ReadQuestion {
  text: string;
  dense: DenseSearch | undefined;
  embeddingTokens: number;
  thresholds: Thresholds;
}

export interface Choice {
  most: number;
  /** What of a knowledge base counts; all of it when left out. */
  documentsIn?: ((knowledgeBaseId: string) => string[] | "all") | undefined;
}

/** Weight of vectors against words: docs/knowledge.md has what it reaches. */
const EMBEDDING_RATE = 0.5;

/** Undefined when the agent is gone. */
export async function openKnowledge(
  parts: KnowledgeParts,
  agentId: string,
): Promise<AgentKnowledge | undefined> {
  const { db, search, sealer, statistics } = parts;
  const [settings, models, bases] = await Promise.all([
    readAgentSettings(db, agentId),
    readModels(db, sealer, agentId),
    readBases(search, agentId),
  ]);
  if (settings === undefined) return undefined;
  return {
    agentId,
    settings,
    models,
    async read(asked, embeddingRate = EMBEDDING_RATE) {
      const embedded = embeddingRate === 0 ? undefined : await readAsVector(parts, agentId, models, asked);
      const dense = embedded && { vector: embedded.vector, weight: embeddingRate, floors: parts.floors };
      return {
        text: asked,
        dense,
        embeddingTokens: embedded?.tokens ?? 0,
        thresholds: thresholdsOf(settings, { withVectors: dense !== undefined }),
      };
    },
    hasBases: (ids) => ids.every((id) => bases.some((base) => base.id === id)),
    find: ({ text, dense }, { most, documentsIn = () => "all" }) =>
      parts.searches(agentId, () =>
        findPairs(search, statistics, {
          agentId,
          bases: bases.flatMap((base) => {
            const documents = documentsIn(base.id);
            if (documents === "all") return [base];
            return documents.length === 0 ? [] : [{ ...base, documentIds: documents }];
          }),
          asked: text,
          most,
          dense,
        }),
      ),
  };
}

/** A model that does not answer leaves the words: a worse answer is better than none. */
async function readAsVector(
  { search, outbound, modelQuota, log }: KnowledgeParts,
  agentId: string,
  { embedding }: ConfiguredModels,
  asked: string,
) {
  if (embedding === undefined || !(await hasVectorTable(search))) return undefined;
  const embedded = await embedAsked(openEmbeddingModel(outbound, embedding, modelQuota.of(agentId)), asked);
  if (embedded.kind === "embedded") return embedded;
  log.warn({ agentId, ...embedded }, "a question could not be made a vector and is looked up by its words");
  return undefined;
}

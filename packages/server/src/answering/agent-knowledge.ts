import {
  openModels,
  readAgentSettings,
  readModelRows,
  type AgentSettings,
  type ConfiguredModels,
} from "../agents/index.ts";
import {
  createSynonyms,
  embedAsked,
  ENGLISH_WEIGHTS,
  findLikeliest,
  findPairs,
  GLOSS_WEIGHTS,
  hasVectorTable,
  isChinese,
  readBasesOf,
  readMisspelt,
  textsFound,
  type BaseCache,
  type CosineFloors,
  type DenseSearch,
  type Encoder,
  type FoundPair,
  type SearchByWords,
  type SearchedBase,
  type StatisticsCache,
  type VersionedBase,
} from "../knowledge/index.ts";
import {
  openEmbeddingModel,
  type AgentShare,
  type Database,
  type Log,
  type ModelQuota,
  type ModelShare,
  type Outbound,
  type Sealer,
} from "../platform/index.ts";
import { decide, isSure, type Decision, type SearchedBy } from "./decision.ts";
import type { OnSpent } from "./spending.ts";

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
  /** What one visitor may use of it; without it as much as all. */
  modelShare?: ModelShare | undefined;
  /** Where the service is found from outside; undefined: what is spoken could not be fetched. */
  publicUrl?: string | undefined;
  statistics: StatisticsCache;
  /** Small bases in memory; without it PostgreSQL is always asked. */
  bases?: BaseCache | undefined;
  floors: CosineFloors;
  /** False: an agent's own synonyms alone. */
  shippedSynonyms?: boolean | undefined;
  /** For agents without an embedding model; undefined where it is switched off. */
  encoder?: Encoder | undefined;
  /** Told what each part of an answer took. */
  onSpent?: OnSpent | undefined;
  log: Log;
}

/** What an agent knows and how it looks for it, as it was set up at one moment. */
export interface AgentKnowledge {
  agentId: string;
  settings: AgentSettings;
  models: ConfiguredModels;
  find: (asked: string, choice: Choice) => Promise<Found>;
  hasBases(ids: string[]): boolean;
}

/** Pairs nearest to what was asked, best first, and what that makes of them. */
export interface Found {
  pairs: FoundPair[];
  searchedBy: SearchedBy;
  decision: Decision;
  embeddingTokens: number;
}

export interface Choice {
  most: number;
  /** What of a knowledge base counts; all of it when left out. */
  documentsIn?: ((knowledgeBaseId: string) => string[] | "all") | undefined;
  /** Weight of vectors against words, from 0 to 1; as calibrated when left out. */
  embeddingRate?: number | undefined;
}

const STRENGTH_MAX = 100;
const CALIBRATED_RATE = 0.5;

function strengthOf({ embeddingRate = CALIBRATED_RATE }: Choice): number {
  return Math.min(STRENGTH_MAX, embeddingRate / (1 - embeddingRate));
}

const HAN = /\p{Script=Han}/u;

/** Undefined when the agent is gone. */
export async function openKnowledge(
  parts: KnowledgeParts,
  agentId: string,
): Promise<AgentKnowledge | undefined> {
  const open = await readKnowledge(parts, [agentId]);
  return open(agentId);
}

/** The same for many agents, read together. Each is opened by itself: a key that cannot be opened fails its own agent and no other. */
export async function readKnowledge(
  parts: KnowledgeParts,
  agentIds: string[],
): Promise<(agentId: string) => AgentKnowledge | undefined> {
  const { db, search, sealer } = parts;
  const [settings, models, bases] = await Promise.all([
    readAgentSettings(db, agentIds),
    readModelRows(db, agentIds),
    readBasesOf(search, agentIds),
  ]);
  const opened = new Map<string, AgentKnowledge | undefined>();
  const open = (agentId: string) => {
    const ofAgent = settings.get(agentId);
    if (ofAgent === undefined) return undefined;
    return knowledgeOf(parts, agentId, {
      settings: ofAgent,
      models: openModels(sealer, agentId, models),
      bases: bases.filter((base) => base.agentId === agentId),
    });
  };
  return (agentId) => {
    if (!opened.has(agentId)) opened.set(agentId, open(agentId));
    return opened.get(agentId);
  };
}

function knowledgeOf(
  parts: KnowledgeParts,
  agentId: string,
  { settings, models, bases }: { settings: AgentSettings; models: ConfiguredModels; bases: VersionedBase[] },
): AgentKnowledge {
  const { search, statistics } = parts;
  const synonyms = createSynonyms(settings.synonyms, parts.shippedSynonyms);

  function searchedBases({ documentsIn = () => "all" }: Choice): SearchedBase[] {
    return bases.flatMap((base) => {
      const documents = documentsIn(base.id);
      if (documents === "all") return [base];
      return documents.length === 0 ? [] : [{ ...base, documentIds: documents }];
    });
  }

  function searchPairs(
    asked: string,
    choice: Choice,
    dense: DenseSearch | undefined,
    byWords?: SearchByWords,
  ): Promise<FoundPair[]> {
    const { most } = choice;
    const sought = { agentId, bases: searchedBases(choice), asked, most, dense, synonyms, byWords };
    return parts.searches(agentId, () => findPairs(search, statistics, sought, parts.bases));
  }

  function searchLikeliest(
    asked: string,
    choice: Choice,
    vector: DenseSearch["vector"],
    byWords: SearchByWords,
  ): Promise<FoundPair[] | undefined> {
    const { most } = choice;
    const weights = isChinese(asked) ? GLOSS_WEIGHTS : ENGLISH_WEIGHTS;
    const sought = { agentId, bases: searchedBases(choice), asked, most, vector, weights, synonyms, byWords };
    return parts.searches(agentId, () => findLikeliest(search, statistics, sought, parts.bases));
  }

  function foundBy(searchedBy: SearchedBy, pairs: FoundPair[], embeddingTokens = 0): Found {
    return { pairs, searchedBy, decision: decide(settings, searchedBy, pairs), embeddingTokens };
  }

  /** A large document has no vectors of the encoder: it would be asked in vain. */
  async function hasVectors(model: string): Promise<boolean> {
    const each = await Promise.all(bases.map((base) => statistics.hasVectors(base, model)));
    return each.includes(true);
  }

  /** The built-in encoder is asked where words are not sure, and there are vectors to compare. */
  async function findByEncoder(asked: string, choice: Choice): Promise<Found> {
    const byWords: SearchByWords = new Map();
    const pairs = await searchPairs(asked, choice, undefined, byWords);
    const found = foundBy(searchedByOf(asked, pairs), pairs);
    const { encoder } = parts;
    const { embeddingRate = CALIBRATED_RATE } = choice;
    if (encoder === undefined) return found;
    if (isChinese(asked))
      return embeddingRate === CALIBRATED_RATE
        ? findByGlosses(encoder, asked, choice, found, byWords)
        : found;
    if (isSure(pairs) || !(await hasVectors(encoder.model))) return found;
    const own = { has: (word: string) => encoder.hasWord(word), texts: textsFound(byWords) };
    const { text, isGarbled } = readMisspelt(asked, own);
    const numbers = await encoder.encode(text);
    if (numbers === undefined) return found;
    const vector = { model: encoder.model, numbers };
    if (embeddingRate !== CALIBRATED_RATE) {
      const dense = { vector, strength: strengthOf(choice), floors: parts.floors };
      const mixed = await searchPairs(asked, choice, dense, byWords);
      return foundBy(searchedByOf(asked, mixed), mixed);
    }
    const likeliest = await searchLikeliest(asked, choice, vector, byWords);
    if (likeliest === undefined || (isGarbled && !isSamePair(likeliest[0], pairs[0]))) return found;
    return foundBy("likelihood", likeliest);
  }

  /** Glosses tell what may be meant where words find nothing: what is left of the letters of a garbled text says more. */
  async function findByGlosses(
    encoder: Encoder,
    asked: string,
    choice: Choice,
    found: Found,
    byWords: SearchByWords,
  ): Promise<Found> {
    if (found.decision !== "fallback") return found;
    const numbers = (await hasVectors(encoder.model)) ? await encoder.encode(asked) : undefined;
    if (numbers === undefined) return found;
    const likeliest = await searchLikeliest(asked, choice, { model: encoder.model, numbers }, byWords);
    return likeliest === undefined ? found : foundBy("glosses", likeliest);
  }

  async function findByWords(asked: string, choice: Choice): Promise<Found> {
    const pairs = await searchPairs(asked, choice, undefined);
    return foundBy(searchedByOf(asked, pairs), pairs);
  }

  async function find(asked: string, choice: Choice): Promise<Found> {
    if (strengthOf(choice) === 0) return findByWords(asked, choice);
    const embedded = await readAsVector(parts, agentId, models, asked);
    if (embedded === undefined)
      return models.embedding === undefined ? findByEncoder(asked, choice) : findByWords(asked, choice);
    const { vector, tokens } = embedded;
    const dense = { vector, strength: strengthOf(choice), floors: parts.floors };
    const pairs = await searchPairs(asked, choice, dense);
    return foundBy(searchedByOf(asked, pairs), pairs, tokens);
  }

  return {
    agentId,
    settings,
    models,
    find,
    hasBases: (ids) => ids.every((id) => bases.some((base) => base.id === id)),
  };
}

/** What is left of the letters of a garbled text says more than its meaning: both must find the same. */
function isSamePair(one: FoundPair | undefined, other: FoundPair | undefined): boolean {
  return one?.documentId === other?.documentId && one?.ordinal === other?.ordinal;
}

/** By the best pair: one may not have its vector yet. */
function searchedByOf(asked: string, [best]: FoundPair[]): SearchedBy {
  if (best?.parts.semantic !== undefined) return "meaning";
  return HAN.test(asked) ? "han" : "words";
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
  log.warn("question_not_embedded", { agentId, ...embedded });
  return undefined;
}

import * as answering from "../answering/index.ts";
import type { EngineObject, Sweep } from "../engine/index.ts";
import { openTriedMessage, readPersonRequest } from "../handoff/index.ts";
import type { RouteHandlers } from "../http/index.ts";
import * as knowledge from "../knowledge/index.ts";
import { createAgentShare, createFairSemaphore, openBulkDatabase } from "../platform/index.ts";
import type { Foundation } from "./foundation.ts";
import type { Retrieval, RouteParts, WorkerParts } from "./parts.ts";

/** A turn can wait, and is called again if it waited in vain; a caller is told to come back. */
const SEARCH_WAIT_MS = 10_000;

export function createRetrieval(foundation: Foundation): Retrieval {
  const encoder = openEncoder(foundation);
  const { config, work, search, sealer, outbound, modelQuota, modelShare, metrics, log } = foundation;
  return {
    db: work,
    search,
    searches: createAgentShare({
      name: "agent_searches",
      total: config.database.poolSize,
      perAgent: config.limits.agentSearchesAtOnce,
      waitMs: SEARCH_WAIT_MS,
    }),
    sealer,
    outbound: outbound.models,
    modelQuota,
    modelShare,
    publicUrl: config.http.publicUrl,
    log,
    statistics: knowledge.createStatisticsCache(search),
    bases: knowledge.createBaseCache(search, {
      bytesMax: config.knowledge.cacheBytesMax,
      onError: (error) => log.warn("knowledge_cache_failed", { err: error }),
    }),
    floors: knowledge.createCosineFloors(),
    shippedSynonyms: config.knowledge.shippedSynonyms,
    encoder,
    onSpent({ part, seconds, promptTokens, completionTokens }) {
      metrics.answerPartSeconds.observe({ part }, seconds);
      if (promptTokens > 0) metrics.modelTokens.inc({ part, kind: "prompt" }, promptTokens);
      if (completionTokens > 0) metrics.modelTokens.inc({ part, kind: "completion" }, completionTokens);
    },
  };
}

/** More than one list of pairs of an agent at once would only take the cores from other agents. */
const DOCUMENT_WRITES_PER_AGENT = 1;
const DOCUMENT_WRITE_WAIT_MS = 10_000;
/** An agent that writes lists without a pause leaves half of the time to others. */
const DOCUMENT_WRITE_REST_SHARE = 1;

/** Undefined where it is switched off. */
function openEncoder({ config, metrics, log }: Foundation): knowledge.Encoder | undefined {
  if (!config.knowledge.builtInEncoder) return undefined;
  return knowledge.createEncoder({
    glosses: config.knowledge.chineseGlosses ? knowledge.openGlosses() : undefined,
    onCpu: (seconds) => metrics.encoderCpuSeconds.inc(seconds),
    onFailure: (error) => log.error("encoder_failed", { err: error }),
  });
}

export function knowledgeRoutes(parts: RouteParts) {
  const { config, restate, caller, operator, retrieval, lifecycle } = parts;
  const { answerWithinMs, fileBytesMax, pairsMax, waitingFilesMax } = config.knowledge;
  const writes = createAgentShare({
    name: "agent_document_writes",
    total: config.database.poolSize,
    perAgent: DOCUMENT_WRITES_PER_AGENT,
    waitMs: DOCUMENT_WRITE_WAIT_MS,
    restShare: DOCUMENT_WRITE_REST_SHARE,
  });
  const vectors = answering.createQuestionVectors();
  const asksForPerson = (text: string) => readPersonRequest(text, { phrases: {} }) !== undefined;
  const trying = { ...retrieval, openHandoff: (agentId: string) => openTriedMessage(operator.db, agentId) };
  const { closeQuestions } = answering;
  const imports = { ...caller, writes, stopping: lifecycle.stopping, answerWithinMs, waitingFilesMax };
  return {
    addQa: (from, input) => knowledge.addQa(imports, from, input),
    updateQa: (from, input) => knowledge.updateQa(imports, from, input),
    uploadFile: (from, _, form) =>
      knowledge.receiveFile({ ...imports, db: operator.db, fileBytesMax }, from, form),
    createKnowledgeBase: (from, input) => knowledge.createKnowledgeBase(caller, from, input),
    listKnowledgeBases: (from, input) => knowledge.listKnowledgeBases(caller, from, input),
    listDocuments: (from, input) => knowledge.listDocuments(caller, from, input),
    getDocumentDetails: (from, input) => knowledge.getDocumentDetails(caller, from, input),
    deleteDocuments: (from, input) => knowledge.deleteDocuments(caller, from, input),
    addQaChunks: (from, input) => knowledge.addQaChunks({ ...caller, writes, pairsMax }, from, input),
    listQaChunks: (from, input) => knowledge.listQaChunks(caller, from, input),
    matchKnowledge: (from, input) =>
      answering.matchKnowledge({ ...retrieval, agents: parts.agents }, from, input),

    setEmbeddingModel: (from, input) =>
      knowledge.setEmbeddingModel({ ...operator, engine: restate }, from, input),
    listAgentKnowledgeBases: (_, input) => knowledge.listAgentKnowledgeBases(operator, input),
    listAgentDocuments: (_, input) => knowledge.listAgentDocuments(operator, input),
    listPairs: (_, input) => knowledge.listPairs(operator, input),
    exportPairs: (from, input) => knowledge.exportPairs(operator, from, input),
    getPair: (_, input) => knowledge.getPair(operator, input),
    listPairHistory: (_, input) => knowledge.listPairHistory(operator, input),
    listPairTags: (_, input) => knowledge.listPairTags(operator, input),
    tagPairs: (from, input) => knowledge.tagPairs(operator, from, input),
    addPair: (from, input) => knowledge.addPair({ ...operator, pairsMax, closeQuestions }, from, input),
    changePair: (from, input) => knowledge.changePair({ ...operator, closeQuestions }, from, input),
    deletePair: (from, input) => knowledge.deletePair(operator, from, input),
    restorePair: (from, input) => knowledge.restorePair(operator, from, input),
    createUpload: (from, input) => knowledge.createUpload({ ...operator, fileBytesMax }, from, input),
    addUploadPart: (from, input) => knowledge.addUploadPart(operator, from, input),
    getUpload: (_, input) => knowledge.getUpload(operator, input),
    deleteUpload: (from, input) => knowledge.deleteUpload(operator, from, input),
    previewUpload: (_, input) =>
      knowledge.previewUpload({ ...operator, engine: restate, stopping: lifecycle.stopping }, input),
    importUpload: (from, input) =>
      knowledge.importUpload({ ...operator, engine: restate, waitingFilesMax }, from, input),
    listRevisions: (_, input) => knowledge.listRevisions(operator, input),
    restoreRevision: (from, input) =>
      knowledge.restoreRevision({ ...operator, engine: restate }, from, input),
    publishRevision: (from, input) =>
      knowledge.publishHeld({ ...operator, engine: restate, onPublished: answering.releaseRun }, from, input),
    listSavedQuestions: (_, input) => answering.listSavedQuestions(operator, input),
    saveQuestion: (from, input) => answering.saveQuestion(operator, from, input),
    deleteSavedQuestion: (from, input) => answering.deleteSavedQuestion(operator, from, input),
    runSavedQuestions: (from, input) =>
      answering.runSavedQuestions({ ...operator, engine: restate }, from, input),
    listSavedQuestionRuns: (_, input) => answering.listSavedQuestionRuns(operator, input),
    getSavedQuestionRun: (_, input) => answering.getSavedQuestionRun(operator, input),
    listRefusedRows: (_, input) => knowledge.listRefusedRows(operator, input),
    dismissQuestion: (from, input) => answering.dismissQuestion(operator, from, input),
    tryQuestion: (_, input) => answering.tryQuestion(trying, input),
    listUnansweredQuestions: (from, input) => answering.listUnansweredQuestions(operator, from, input),
    proposePair: (from, input) => answering.proposePair(operator, from, input),
    listQuestionGroups: (from, input) =>
      answering.listQuestionGroups({ ...operator, encoder: retrieval.encoder, vectors }, from, input),
    listHumanAnswers: (from, input) =>
      answering.listHumanAnswers({ ...operator, asksForPerson }, from, input),
    acceptHumanAnswer: (from, input) => answering.acceptHumanAnswer({ ...operator, pairsMax }, from, input),
    dismissHumanAnswer: (from, input) => answering.dismissHumanAnswer(operator, from, input),
    listProposedAlternates: (from, input) => answering.listProposedAlternates(operator, from, input),
    approveProposedAlternate: (from, input) => answering.approveProposedAlternate(operator, from, input),
    rejectProposedAlternate: (from, input) => answering.rejectProposedAlternate(operator, from, input),
  } satisfies Partial<RouteHandlers>;
}

/** Fetched files lie in a directory until they are read: this many agents may fill it with their share. */
const AGENTS_SERVED = 8;

export function knowledgeObjects({
  config,
  shared,
  outbound,
  modelQuota,
  sealer,
  retrieval,
  log,
}: WorkerParts): EngineObject[] {
  const { importsAtOnce, callsPerAgent } = config.knowledge;
  return [
    knowledge.ingestObject({
      ...shared,
      ...config.knowledge,
      bulk: openBulkDatabase({
        url: config.database.directUrl,
        onError: (error) => log.warn("database_connection_lost", { err: error }),
      }),
      outbound,
      modelQuota,
      encoder: retrieval.encoder,
      sealer,
      calls: createFairSemaphore({ permits: AGENTS_SERVED * callsPerAgent, permitsPerKey: callsPerAgent }),
      readings: createFairSemaphore({ permits: importsAtOnce }),
      limits: { ...knowledge.INTAKE_LIMITS, pairsMax: config.knowledge.pairsMax },
      gate: answering.createPublicationGate(retrieval),
      afterImport: (agentId, ingestId) => answering.askAfterImport(shared, agentId, ingestId),
    }),
    answering.savedQuestionsObject({ ...retrieval, stopping: shared.stopping }),
  ];
}

export function knowledgeSweeps({ sweeping, retrieval }: WorkerParts): Sweep[] {
  return [
    ...knowledge.ingestSweeps({ ...sweeping, hasEncoder: retrieval.encoder !== undefined }),
    answering.savedQuestionSweep(sweeping),
    answering.questionRetentionSweep(sweeping.db),
  ];
}

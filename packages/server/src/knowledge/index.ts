export { addQaChunks } from "./documents/add-qa-chunks.ts";
export { addQa } from "./documents/add-qa.ts";
export { deleteDocuments } from "./documents/delete-documents.ts";
export { getDocumentDetails } from "./documents/document-details.ts";
export { createKnowledgeBase, listKnowledgeBases } from "./documents/knowledge-bases.ts";
export { listDocuments } from "./documents/list-documents.ts";
export { listQaChunks } from "./documents/list-qa-chunks.ts";
export { publishText } from "./documents/publish-text.ts";
export { remakeVectors } from "./documents/remake-vectors.ts";
export { updateQa } from "./documents/update-qa.ts";
export { questionKey } from "./intake/incoming-pair.ts";
export { createBaseCache, type BaseCache } from "./retrieval/base-cache.ts";
export { createCosineFloors, embedAsked, hasVectorTable, type CosineFloors } from "./retrieval/dense.ts";
export { findPairs, readBases, type DenseSearch, type FoundPair } from "./retrieval/find-pairs.ts";
export {
  createStatisticsCache,
  type StatisticsCache,
  type VersionedBase,
} from "./retrieval/statistics-cache.ts";
export { createEncoder, type Encoder } from "./encoder/encoder.ts";
export { ingestSweeps } from "./documents/ingest-sweeps.ts";
export { ingestObject } from "./documents/ingest.ts";
export { convertChunk, extractFile, INTAKE_LIMITS } from "./intake/index.ts";
export { contentTermsOf } from "./retrieval/common-terms.ts";
export { createSynonyms } from "./retrieval/synonyms.ts";
export { weightsFile, type Matrix } from "./encoder/weights.ts";

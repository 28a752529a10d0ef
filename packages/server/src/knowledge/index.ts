export { addQaChunks } from "./documents/add-qa-chunks.ts";
export { addQa } from "./documents/add-qa.ts";
export { deleteDocuments } from "./documents/delete-documents.ts";
export { getDocumentDetails } from "./documents/document-details.ts";
export {
  addDefaultBase,
  createKnowledgeBase,
  listAgentKnowledgeBases,
  listKnowledgeBases,
} from "./documents/knowledge-bases.ts";
export { listAgentDocuments, listDocuments } from "./documents/list-documents.ts";
export { listQaChunks } from "./documents/list-qa-chunks.ts";
export { listRefusedRows, listRevisions } from "./documents/list-revisions.ts";
export { restoreRevision } from "./documents/restore-revision.ts";
export { publishHeld } from "./documents/publish-held.ts";
export type { PublicationGate, Verdict } from "./documents/gate-check.ts";
export type { RevisionKey } from "./documents/pair-store.ts";
export { publishText } from "./documents/publish-text.ts";
export { setEmbeddingModel } from "./documents/reembed-pairs.ts";
export { updateQa } from "./documents/update-qa.ts";
export { questionKey } from "./intake/incoming-pair.ts";
export { createBaseCache, type BaseCache } from "./retrieval/base-cache.ts";
export { createCosineFloors, embedAsked, hasVectorTable, type CosineFloors } from "./retrieval/dense.ts";
export { findLikeliest } from "./retrieval/find-likeliest.ts";
export { ENGLISH_WEIGHTS, GLOSS_WEIGHTS } from "./retrieval/likelihood.ts";
export { findPairs, readBases, readBasesOf, type DenseSearch } from "./retrieval/find-pairs.ts";
export {
  textsFound,
  type FoundPair,
  type SearchByWords,
  type SearchedBase,
} from "./retrieval/search-base.ts";
export {
  createStatisticsCache,
  type StatisticsCache,
  type VersionedBase,
} from "./retrieval/statistics-cache.ts";
export { exportPairs } from "./export/export-pairs.ts";
export { addAlternate } from "./pairs/add-alternate.ts";
export { addPair, addPairIn, type ClosedQuestions } from "./pairs/add-pair.ts";
export { changePair, deletePair, restorePair } from "./pairs/edit-pairs.ts";
export { writePairId } from "./pairs/pair-id.ts";
export { getPair, listPairs } from "./pairs/list-pairs.ts";
export { listPairTags, tagPairs } from "./pairs/tag-pairs.ts";
export { listPairHistory } from "./pairs/pair-versions.ts";
export { previewUpload } from "./uploads/ask-preview.ts";
export { importUpload } from "./uploads/import-upload.ts";
export { receiveFile } from "./uploads/receive-file.ts";
export { addUploadPart, createUpload, deleteUpload, getUpload } from "./uploads/receive-upload.ts";
export { createEncoder, isChinese, type Encoder } from "./encoder/encoder.ts";
export { openGlosses } from "./encoder/glosses.ts";
export { readMisspelt } from "./encoder/spelling.ts";
export { ingestSweeps } from "./documents/ingest-sweeps.ts";
export { ingestObject } from "./documents/ingest.ts";
export { convertChunk, extractFile, INTAKE_LIMITS } from "./intake/index.ts";
export { contentTermsOf, isCommonTerm, languageOf } from "./retrieval/common-terms.ts";
export { termOf } from "./retrieval/terms.ts";
export { letterPairs } from "./retrieval/near-terms.ts";
export { createSynonyms } from "./retrieval/synonyms.ts";
export { weightsFile, type Matrix } from "./encoder/weights.ts";

export { addQaChunks } from "./documents/add-qa-chunks.ts";
export { addQa } from "./documents/add-qa.ts";
export { deleteDocuments } from "./documents/delete-documents.ts";
export { getDocumentDetails } from "./documents/document-details.ts";
export { createKnowledgeBase, listKnowledgeBases } from "./documents/knowledge-bases.ts";
export { listDocuments } from "./documents/list-documents.ts";
export { updateQa } from "./documents/update-qa.ts";
export { questionKey } from "./intake/incoming-pair.ts";
export {
  createCosineFloors,
  embedAsked,
  hasVectorTable,
  type CosineFloors,
} from "./retrieval/dense.ts";
export { findPairs, readBases, type DenseSearch, type FoundPair } from "./retrieval/find-pairs.ts";
export { createStatisticsCache, type StatisticsCache } from "./retrieval/statistics-cache.ts";
export { createAdmission } from "./documents/admission.ts";
export { ingestSweeps } from "./documents/ingest-sweeps.ts";
export { ingestObject } from "./documents/ingest.ts";
export { INTAKE_LIMITS } from "./intake/index.ts";

export { addQa } from "./documents/add-qa.ts";
export { findPair, knowledgeBasesOf, type FoundPair } from "./retrieval/find-pair.ts";

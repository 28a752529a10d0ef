export { createAnswering, OWN_COMPONENT_NAME, type Answerer, type OpenAnswering } from "./answer.ts";
export type { Answer, AnswerOptions, Said } from "./question-and-answer.ts";
export { refuseUnknownKnowledge, type KnowledgeScope } from "./knowledge-scope.ts";
export { matchKnowledge } from "./match-knowledge.ts";
export {
  approveProposedAlternate,
  listProposedAlternates,
  rejectProposedAlternate,
} from "./proposed-alternates.ts";
export { readSpeech } from "./spoken-answer.ts";
export { tryQuestion } from "./try-question.ts";
export { listUnansweredQuestions } from "./unanswered-questions.ts";

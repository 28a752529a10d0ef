export { createAnswering, OWN_COMPONENT_NAME, type Answerer, type OpenAnswering } from "./answer.ts";
export type { Answer, AnswerOptions, Said } from "./question-and-answer.ts";
export { closeQuestions, dismissQuestion } from "./close-question.ts";
export { refuseUnknownKnowledge, type KnowledgeScope } from "./knowledge-scope.ts";
export { acceptHumanAnswer, dismissHumanAnswer } from "./human-answers/decide-human-answer.ts";
export { listHumanAnswers } from "./human-answers/list-human-answers.ts";
export { createQuestionVectors, listQuestionGroups } from "./question-groups/list-question-groups.ts";
export { listTopQuestions } from "./question-groups/list-top-questions.ts";
export { matchKnowledge } from "./match-knowledge.ts";
export {
  approveProposedAlternate,
  listProposedAlternates,
  rejectProposedAlternate,
} from "./proposed-alternates.ts";
export { deleteSavedQuestion, listSavedQuestions, saveQuestion } from "./saved-questions/manage-questions.ts";
export {
  getSavedQuestionRun,
  listSavedQuestionRuns,
  runSavedQuestions,
} from "./saved-questions/manage-runs.ts";
export { questionRetentionSweep } from "./question-retention.ts";
export { storeRating } from "./ratings.ts";
export { createPublicationGate } from "./saved-questions/publication-gate.ts";
export { askAfterImport, savedQuestionsObject, savedQuestionSweep } from "./saved-questions/run-object.ts";
export { releaseRun } from "./saved-questions/run-store.ts";
export { proposePair } from "./proposed-pairs.ts";
export { readSpeech } from "./spoken-answer.ts";
export { nearestPairs, tryQuestion } from "./try-question.ts";
export { listUnansweredQuestions } from "./unanswered-questions.ts";

export {
  createAnswering,
  OWN_COMPONENT_NAME,
  type Answer,
  type Answerer,
  type AnswerOptions,
  type OpenAnswering,
  type Said,
} from "./answer.ts";
export { refuseUnknownKnowledge, type KnowledgeScope } from "./knowledge-scope.ts";
export { matchKnowledge } from "./match-knowledge.ts";
export { readSpeech } from "./spoken-answer.ts";
export { listUnansweredQuestions } from "./unanswered-questions.ts";

export {
  createAnswering,
  OWN_COMPONENT_NAME,
  type Answer,
  type Answerer,
  type OpenAnswering,
  type Said,
} from "./answer.ts";
export { matchKnowledge } from "./match-knowledge.ts";
export { readSpeech } from "./spoken-answer.ts";
export { listUnansweredQuestions } from "./unanswered-questions.ts";

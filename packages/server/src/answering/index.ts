export {
  createAnswering,
  OWN_COMPONENT_NAME,
  type Answer,
  type Answerer,
  type OpenAnswering,
} from "./answer.ts";
export { matchKnowledge } from "./match-knowledge.ts";
export { listUnansweredQuestions } from "./unanswered-questions.ts";

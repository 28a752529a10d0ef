export { createAnswering, type Answer, type OpenAnswering } from "./answer.ts";
export { matchKnowledge } from "./match-knowledge.ts";
export { listUnansweredQuestions } from "./unanswered-questions.ts";

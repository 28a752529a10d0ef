export { answerQuestion, type Answer } from "./answer.ts";

export { openAnswering, type Answer, type Answerer } from "./answer.ts";

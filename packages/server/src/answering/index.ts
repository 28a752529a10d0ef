export { openAnswering, type Answer } from "./answer.ts";

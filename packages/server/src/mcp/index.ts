export { createMcp, type AnswerMcp } from "./create-mcp.ts";

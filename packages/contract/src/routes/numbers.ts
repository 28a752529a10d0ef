import { AgentPath } from "../agents.ts";
import * as numbers from "../numbers.ts";
import { AGENT, SEE_KNOWLEDGE, type Route } from "./route.ts";

const NUMBERS = "/admin/v1/numbers";

/** How much is asked, answered and handed over. */
export const numbersRoutes = {
  getNumbers: {
    method: "GET",
    path: NUMBERS,
    auth: "operator",
    scopes: SEE_KNOWLEDGE,
    sdk: "numbers.get",
    summary:
      "Read figures by the hour or the day: conversations, answers, handoffs, waiting times and tokens",
    query: numbers.NumbersQuery,
    reply: numbers.Numbers,
  },
  exportNumbers: {
    method: "GET",
    path: `${NUMBERS}/export`,
    auth: "operator",
    scopes: SEE_KNOWLEDGE,
    sdk: "numbers.export",
    summary: "Export figures by the hour or the day as CSV",
    query: numbers.NumbersQuery,
    reply: numbers.NumbersFile,
    file: ["text/csv"],
  },
  listTopQuestions: {
    method: "GET",
    path: `${AGENT}/top-questions`,
    auth: "operator",
    scopes: SEE_KNOWLEDGE,
    sdk: "numbers.listTopQuestions",
    summary: "List what users asked most, and what the agent could not answer",
    params: AgentPath,
    query: numbers.TopQuestionsQuery,
    reply: numbers.TopQuestions,
  },
} as const satisfies Record<string, Route>;

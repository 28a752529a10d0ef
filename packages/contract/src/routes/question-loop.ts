import { AgentPath } from "../agents.ts";
import * as humans from "../human-answers.ts";
import { UnansweredQuestion } from "../agent-models.ts";
import { Pair } from "../pairs.ts";
import { ProposePairRequest } from "../proposed-pairs.ts";
import { QuestionGroupPage } from "../question-groups.ts";
import { Acknowledged, PageQuery } from "../values.ts";
import { AGENT, KNOWLEDGE, SEE_KNOWLEDGE, type Route } from "./route.ts";

const HUMAN_ANSWERS = `${AGENT}/human-answers` as const;

/** From what users asked in vain, and what humans answered, to pairs. */
export const questionLoopRoutes = {
  listQuestionGroups: {
    method: "GET",
    path: `${AGENT}/question-groups`,
    auth: "operator",
    scopes: SEE_KNOWLEDGE,
    sdk: "unanswered.listGroups",
    summary: "List unanswered and poorly rated questions grouped by likeness, those asked most first",
    params: AgentPath,
    query: PageQuery,
    reply: QuestionGroupPage,
  },
  proposePair: {
    method: "POST",
    path: `${AGENT}/unanswered-questions`,
    auth: "operator",
    scopes: KNOWLEDGE,
    sdk: "unanswered.propose",
    summary:
      "Propose an answer: it waits among the unanswered questions until an editor adds or dismisses it",
    params: AgentPath,
    body: ProposePairRequest,
    reply: UnansweredQuestion,
    failures: ["stateConflict"],
  },
  listHumanAnswers: {
    method: "GET",
    path: HUMAN_ANSWERS,
    auth: "operator",
    scopes: SEE_KNOWLEDGE,
    sdk: "humanAnswers.list",
    summary: "List what humans answered in handoffs, offered as pairs",
    params: AgentPath,
    query: PageQuery,
    reply: humans.HumanAnswerPage,
  },
  acceptHumanAnswer: {
    method: "POST",
    path: `${HUMAN_ANSWERS}/:answer_id/accept`,
    auth: "operator",
    scopes: KNOWLEDGE,
    sdk: "humanAnswers.accept",
    summary: "Add a human's answer as a pair, with the texts you give",
    params: humans.HumanAnswerPath,
    body: humans.AcceptHumanAnswerRequest,
    reply: Pair,
  },
  dismissHumanAnswer: {
    method: "DELETE",
    path: `${HUMAN_ANSWERS}/:answer_id`,
    auth: "operator",
    scopes: KNOWLEDGE,
    sdk: "humanAnswers.dismiss",
    summary: "Dismiss a human's answer: it is not offered again",
    params: humans.HumanAnswerPath,
    reply: Acknowledged,
    failures: ["stateConflict"],
  },
} as const satisfies Record<string, Route>;

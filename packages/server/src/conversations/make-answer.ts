import { zeroUsage } from "@signalbox/contract";
import {
  OWN_COMPONENT_NAME,
  type Answer,
  type Answerer,
  type AnswerOptions,
  type OpenAnswering,
} from "../answering/index.ts";
import { openTriggers } from "../handoff/index.ts";
import { inTrace, newId, refuse, type Database, type Refusal, type TurnOutcome } from "../platform/index.ts";
import { noAnswersAfter, turnOutcome } from "./answer-outcome.ts";
import { recallLately, recallOffer } from "./memory.ts";
import type { Turn } from "./turn-store.ts";

export interface MakeAnswerParts {
  /** The work role's: a turn is the same work wherever it runs. */
  db: Database;
}

/** What is told of a reply while it comes about. */
export interface Aloud {
  begun: (messageId: string) => void;
  said: (text: string) => void;
}

/** Not stored yet. */
export interface MadeAnswer {
  messageId: string;
  answer: Pick<Answer, "text" | "componentName" | "usage"> &
    Partial<Pick<Answer, "audio" | "suggestions" | "sources">> & { branch: Answer["branch"] | "notice" };
  /** As metrics count it. */
  outcome: TurnOutcome;
  noAnswers: number;
}

export interface MakingAnswer extends Pick<AnswerOptions, "signal" | "committed"> {
  /** Undefined: the caller is given the whole. */
  aloud: Aloud | undefined;
}

/** Answers the one message of a caller's turn. What it looks up may be recorded; the reply itself is not. */
export async function makeAnswer(
  { db }: MakeAnswerParts,
  turn: Turn,
  opening: ReturnType<OpenAnswering>,
  { aloud, signal, committed }: MakingAnswer,
): Promise<MadeAnswer | Refusal> {
  const [answerer, cannotJoin] = await Promise.all([
    opening,
    turn.hasDesk ? noticeThatNobodyCanJoin(db, turn) : undefined,
  ]);
  if (answerer === undefined) return refuse("agentDeleted");
  const messageId = newId();
  aloud?.begun(messageId);
  if (cannotJoin !== undefined) {
    aloud?.said(cannotJoin);
    const notice = { text: cannotJoin, componentName: OWN_COMPONENT_NAME, usage: zeroUsage() };
    return {
      messageId,
      answer: { ...notice, branch: "notice" },
      outcome: "notice",
      noAnswers: turn.noAnswers,
    };
  }
  const [due] = turn.due;
  if (due === undefined) throw new Error("a caller's turn is about one message");
  const { conversationId } = turn;
  const options = {
    conversationId,
    recall: () => recallLately(db, turn, due),
    offered: () => recallOffer(db, turn, due),
    within: due.answerWith?.within,
    showsCitations: due.answerWith?.showsCitations,
    signal,
    committed,
  };
  const answer = await inTrace(due.traceparent, turn, () =>
    aloud === undefined ? answerer(due.text, options) : answerAloud(answerer, due.text, options, aloud),
  );
  return {
    messageId,
    answer,
    outcome: turnOutcome(answer),
    noAnswers: noAnswersAfter(turn.noAnswers, answer),
  };
}

async function answerAloud(
  answerer: Answerer,
  text: string,
  options: AnswerOptions,
  { said }: Aloud,
): Promise<Answer> {
  let soFar = "";
  const onText = (more: string) => {
    soFar += more;
    said(more);
  };
  const answer = await answerer(text, { ...options, onText });
  // What came in pieces may turn out not to be borne out: then the whole, which follows, is another.
  if (answer.text.startsWith(soFar) && answer.text !== soFar) said(answer.text.slice(soFar.length));
  return answer;
}

/** Decisions, 4.6: people can answer in webhook mode and on live channels alone; who asks for one here is told so. */
async function noticeThatNobodyCanJoin(db: Database, turn: Turn): Promise<string | undefined> {
  const triggers = await openTriggers(db, turn);
  const [due] = turn.due;
  if (triggers === undefined || due === undefined) return undefined;
  const { quietSeq, isQuiet } = turn;
  const facts = { isAnswered: undefined, noAnswers: 0, modelAsks: false };
  const trigger = triggers.triggerOf({ ...due, ...facts, quietSeq, isQuiet });
  return trigger === "phrase" ? triggers.notice("cannot_join") : undefined;
}

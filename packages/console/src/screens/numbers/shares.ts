import type { Figures } from "@signalbox/contract";

/** Questions that got an answer, of all questions; null where none was asked. Small talk is no question. */
export function answeredShare({ answers }: Figures): number | null {
  return share(answers.direct + answers.model, questionsOf(answers));
}

/** Questions that got a choice of stored questions: the user may have found the answer among them, or not. */
export function offeredShare({ answers }: Figures): number | null {
  return share(answers.suggestion, questionsOf(answers));
}

function questionsOf({ direct, suggestion, model, unanswered }: Figures["answers"]): number {
  return direct + suggestion + model + unanswered;
}

export function handoffRate({ handoffs, conversations }: Figures): number | null {
  return share(handoffs, conversations);
}

export function resolvedShare({ resolution, handoff_ends }: Figures): number | null {
  const ended = Object.values(handoff_ends).reduce((sum, count) => sum + count, 0);
  return share(resolution.count, ended);
}

export function goodShare({ ratings }: Figures): number | null {
  return share(ratings.good, ratings.good + ratings.bad);
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

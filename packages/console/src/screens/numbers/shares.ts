import type { Figures } from "@signalbox/contract";

/** Questions that got an answer or a choice of questions, of all questions; null where none was asked. */
export function answeredShare({ answers }: Figures): number | null {
  const { direct, suggestion, model, unanswered } = answers;
  const answered = direct + suggestion + model;
  return share(answered, answered + unanswered);
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

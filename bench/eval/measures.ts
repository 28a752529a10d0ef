/** What one question brought: its groups in order of their best pair, and that pair's score. */
export interface Asked {
  ranking: string[];
  topScore: number;
  /** Undefined: nothing here answers it. */
  right: string | undefined;
}

export function hitRate(asked: Asked[], within: number): number {
  return mean(asked.map(({ ranking, right }) => Number(ranking.slice(0, within).includes(right ?? ""))));
}

export function meanReciprocalRank(asked: Asked[], within = 10): number {
  return mean(
    asked.map(({ ranking, right }) => {
      const place = ranking.slice(0, within).indexOf(right ?? "");
      return place < 0 ? 0 : 1 / (place + 1);
    }),
  );
}

/** How likely a question that can be answered scores higher than one that cannot. */
export function areaUnderCurve(answerable: number[], others: number[]): number {
  const all = [
    ...answerable.map((score) => ({ score, isAnswerable: true })),
    ...others.map((score) => ({ score, isAnswerable: false })),
  ].toSorted((one, other) => one.score - other.score);
  let ranks = 0;
  for (let from = 0; from < all.length;) {
    let to = from;
    while (to < all.length && all[to]?.score === all[from]?.score) to += 1;
    const rank = (from + to + 1) / 2;
    for (let at = from; at < to; at += 1) if (all[at]?.isAnswerable) ranks += rank;
    from = to;
  }
  const count = answerable.length;
  return (ranks - (count * (count + 1)) / 2) / (count * others.length);
}

export interface Refusing {
  inScopeAccuracy: number;
  outOfScopeRecall: number;
}

export function refusingAt(asked: Asked[], threshold: number): Refusing {
  const [inScope, outOfScope] = [asked.filter(isInScope), asked.filter((one) => !isInScope(one))];
  return {
    inScopeAccuracy: mean(
      inScope.map(({ topScore, ranking, right }) => Number(topScore >= threshold && ranking[0] === right)),
    ),
    outOfScopeRecall: mean(outOfScope.map(({ topScore }) => Number(topScore < threshold))),
  };
}

/** The threshold at which right answers and right refusals together are most. */
export function bestAnswerThreshold(asked: Asked[]): number {
  return best(candidates(), (threshold) => {
    const { inScopeAccuracy, outOfScopeRecall } = refusingAt(asked, threshold);
    return inScopeAccuracy + outOfScopeRecall;
  });
}

export interface Precision {
  /** The share of the answers that are right. */
  precision: number;
  /** The share of the answerable questions that were answered. */
  coverage: number;
}

export function precisionAt(asked: Asked[], threshold: number): Precision {
  const answered = asked.filter(({ topScore }) => topScore >= threshold);
  const right = answered.filter((one) => one.ranking[0] === one.right);
  return {
    precision: answered.length === 0 ? 1 : right.length / answered.length,
    coverage: right.length / Math.max(1, asked.filter(isInScope).length),
  };
}

/** The lowest threshold above which at least this share of answers is right. */
export function lowestPreciseThreshold(asked: Asked[], precision: number): number {
  let lowest = 1;
  for (const threshold of candidates().toReversed()) {
    if (precisionAt(asked, threshold).precision < precision) break;
    lowest = threshold;
  }
  return lowest;
}

/** Halves that do not depend on the order of the file. */
export function halves<Item>(items: Item[], chance: () => number): [Item[], Item[]] {
  const tuning: Item[] = [];
  const reported: Item[] = [];
  for (const item of items) (chance() < 0.5 ? tuning : reported).push(item);
  return [tuning, reported];
}

function candidates(): number[] {
  return Array.from({ length: 100 }, (_, index) => index / 100);
}

function best(thresholds: number[], worth: (threshold: number) => number): number {
  let found = { threshold: 0, worth: -Infinity };
  for (const threshold of thresholds) {
    const value = worth(threshold);
    if (value > found.worth) found = { threshold, worth: value };
  }
  return found.threshold;
}

export function isInScope({ right }: Asked): boolean {
  return right !== undefined;
}

function mean(numbers: number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);
}

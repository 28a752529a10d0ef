import type { CampaignResult } from "./campaign.ts";

/** The victim's p99 may at most double while somebody else abuses the service. */
export const RATIO_MAX = 2;

export type AbuseFigures = {
  vectors: number;
  /** Vectors under which the victim kept its p99 and saw no error. */
  held: number;
  victim_p99_ratio_max: number;
  victim_errors: number;
  victim_p99_ms_at_rest: number;
};

export function figuresOf({ restP99Ms, restErrors, vectors }: CampaignResult): {
  figures: AbuseFigures;
  /** What must not be, a vector that proves nothing among it. */
  faults: string[];
} {
  const errors = [...restErrors, ...vectors.flatMap((vector) => vector.errors)];
  const faults = [
    ...vectors.filter(({ proven }) => !proven).map(({ name }) => `${name}: void, the abuser did no harm`),
    ...vectors
      .filter(({ ratio }) => !(ratio <= RATIO_MAX))
      .map(({ name, ratio }) => `${name}: the victim's p99 is ${ratio.toFixed(2)} times that at rest`),
    ...vectors.flatMap(({ name, errors }) => [...new Set(errors)].map((error) => `${name}: ${error}`)),
    ...new Set(restErrors),
  ];
  return {
    figures: {
      vectors: vectors.length,
      held: vectors.filter(({ proven, ratio, errors }) => proven && ratio <= RATIO_MAX && errors.length === 0)
        .length,
      victim_p99_ratio_max: rounded(Math.max(...vectors.map(({ ratio }) => ratio))),
      victim_errors: errors.length,
      victim_p99_ms_at_rest: rounded(restP99Ms),
    },
    faults,
  };
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

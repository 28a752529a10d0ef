export type RuleState = "passed" | "failed" | "skipped";

export interface RuleResult {
  /** Stable, to name a rule in a script. */
  id: string;
  /** The sections of the API reference it comes from, or its subject. */
  about: string;
  title: string;
  state: RuleState;
  /** The observation, or the reason why there is none. */
  found?: string;
  /** What to change. */
  fix?: string;
}

export interface ConformReport {
  url: string;
  results: RuleResult[];
  passed: number;
  failed: number;
  skipped: number;
}

/** What a rule found wrong. */
export interface Finding {
  found: string;
  fix: string;
}

/** Why a rule could not be judged. */
export interface NotSeen {
  notSeen: string;
}

export function reportOf(url: string, results: RuleResult[]): ConformReport {
  const count = (state: RuleState) => results.filter((result) => result.state === state).length;
  return { url, results, passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
}

import { type ConformOptions, createProber, type Prober } from "./probing.ts";
import { type ConformReport, reportOf, type RuleResult } from "./report.ts";
import type { Rule } from "./rule.ts";
import { RULES } from "./rules.ts";

const MISSING: Record<keyof Prober["has"], string> = {
  credentials: "skipped: give a username to run it",
  signing: "skipped: give the signing secret to run it",
  effects: "skipped: give the effects, which show what your receiver handled",
};

/**
 * Holds a receiver, in whatever language, against every rule of sections 4.5 to 4.8. It sends real calls with made-up ids:
 * use it where these may be handled.
 */
export async function conform(
  options: ConformOptions,
  onResult: (result: RuleResult) => void = () => undefined,
): Promise<ConformReport> {
  if (!URL.canParse(options.url)) throw new TypeError("Give the full URL of the receiver");
  const unknown = options.rules?.find((id) => !RULES.some((rule) => rule.id === id));
  if (unknown !== undefined)
    throw new TypeError(`Unknown rule ${unknown}. Rules: ${RULES.map(({ id }) => id).join(", ")}`);
  const prober = createProber(options);
  const results: RuleResult[] = [];
  let failedFirst: string | undefined;
  for (const rule of RULES) {
    if (!isMeant(rule, options)) continue;
    const result = await judge(rule, prober, failedFirst);
    if (rule.first === true && result.state === "failed") failedFirst ??= rule.id;
    results.push(result);
    onResult(result);
  }
  return reportOf(options.url, results);
}

function isMeant({ id, only }: Rule, { as = "message", rules }: ConformOptions): boolean {
  return (only === undefined || as === "both" || as === only) && (rules?.includes(id) ?? true);
}

async function judge(
  { id, about, title, needs, check }: Rule,
  prober: Prober,
  failedFirst: string | undefined,
): Promise<RuleResult> {
  const skipped = (found: string): RuleResult => ({ id, about, title, state: "skipped", found });
  if (failedFirst !== undefined) return skipped(`skipped: fix ${failedFirst} first`);
  if (needs !== undefined && !prober.has[needs]) return skipped(MISSING[needs]);
  if (prober.leftMs() <= 0) return skipped("skipped: the receiver took too long for earlier rules");
  const finding = await check(prober);
  if (finding === undefined) return { id, about, title, state: "passed" };
  if ("notSeen" in finding) return skipped(finding.notSeen);
  return { id, about, title, state: "failed", ...finding };
}

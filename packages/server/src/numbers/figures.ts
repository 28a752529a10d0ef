import {
  ANSWER_BRANCHES,
  HandoffReason,
  HandoffTrigger,
  Rating,
  Speaker,
  type Duration,
  type Figures,
} from "@signalbox/contract";
import { BUCKET_SECONDS } from "./count-handoffs.ts";

/** A sum of `numbers_hour`, or of ratings. */
export interface Fact {
  kind: string;
  detail: string;
  count: number;
  ms: number;
}

/** Each row belongs to one group: a step of time, a channel, a language or an agent. */
export interface GroupedRow extends Fact {
  at: Date | null;
  channel: string | null;
  language: string | null;
  agent_id: string | null;
}

/** What one range, hour, channel or agent comes to. */
export function figuresOf(facts: readonly Fact[], withTokens: boolean): Figures {
  const byKind = new Map<string, Map<string, Fact>>();
  for (const fact of facts) {
    const details = byKind.get(fact.kind) ?? new Map<string, Fact>();
    byKind.set(fact.kind, details);
    const { count, ms } = details.get(fact.detail) ?? { count: 0, ms: 0 };
    details.set(fact.detail, { ...fact, count: count + fact.count, ms: ms + fact.ms });
  }
  const countOf = (kind: string, detail: string) => byKind.get(kind)?.get(detail)?.count ?? 0;
  const allOf = (kind: string) => [...(byKind.get(kind)?.values() ?? [])];
  const sumOf = (kind: string) => allOf(kind).reduce((sum, { count }) => sum + count, 0);
  const counts = <Name extends string>(kind: string, names: readonly Name[]) =>
    Object.fromEntries(names.map((name) => [name, countOf(kind, name)])) as Record<Name, number>;
  return {
    conversations: sumOf("conversation"),
    messages: counts("message", Speaker.options),
    answers: counts("answer", ANSWER_BRANCHES),
    handoffs: sumOf("handoff"),
    handoff_triggers: counts("handoff", HandoffTrigger.options),
    handoff_ends: counts("handoff_end", HandoffReason.options),
    waiting: durationOf(allOf("waiting")),
    first_reply: durationOf(allOf("first_reply")),
    resolution: durationOf(allOf("resolved")),
    ratings: counts("rating", Rating.options),
    tokens: withTokens ? sumOf("tokens") : null,
  };
}

function durationOf(facts: readonly Fact[]): Duration {
  const count = facts.reduce((sum, fact) => sum + fact.count, 0);
  if (count === 0) return { count: 0, average_ms: null, median_ms: null, p90_ms: null };
  const average = facts.reduce((sum, { ms }) => sum + ms, 0) / count;
  return {
    count,
    average_ms: Math.round(average),
    median_ms: quantile(facts, count, 0.5),
    p90_ms: quantile(facts, count, 0.9),
  };
}

/** Within a bucket lengths are taken to be spread evenly. The last one has no end: its average stands for it. */
function quantile(facts: readonly Fact[], count: number, share: number): number {
  const counts = new Map(facts.map((fact) => [fact.detail, fact]));
  let before = 0;
  let fromMs = 0;
  for (const seconds of BUCKET_SECONDS) {
    const inside = counts.get(String(seconds))?.count ?? 0;
    if (inside > 0 && before + inside >= share * count)
      return Math.round(fromMs + ((share * count - before) / inside) * (seconds * 1000 - fromMs));
    before += inside;
    fromMs = seconds * 1000;
  }
  const rest = counts.get("more");
  return rest === undefined ? fromMs : Math.round(rest.ms / rest.count);
}

import type { Verdict } from "./campaign.ts";

/** Below this a run says little: refusing everything is easy. */
const ACCEPTED_SHARE_MIN = 0.2;

/** The counts for people, and the sentences that make a run fail. */
export function summaryOf(verdict: Verdict): { text: string; faults: string[] } {
  const { seed, requests, acceptedShare, codes, routes, kinds, slowestMs, requestsPerSecond } = verdict;
  const faults = [
    ...(verdict.problemCount === 0 ? [] : [`${verdict.problemCount} answers are not as they should be`]),
    ...(acceptedShare >= ACCEPTED_SHARE_MIN
      ? []
      : [`only ${percent(acceptedShare)} were accepted: the run is void`]),
  ];
  const lines = [
    `seed ${seed}: ${requests} requests, ${percent(acceptedShare)} accepted, ${requestsPerSecond} a second, slowest ${slowestMs} ms`,
    `by code: ${listOf(codes, String)}`,
    `by kind: ${listOf(kinds, String)}`,
    `by route (sent/accepted): ${listOf(routes, ({ sent, accepted }) => `${sent}/${accepted}`)}`,
    ...(verdict.excused === 0
      ? []
      : [`${verdict.excused} slow answers are not counted: the machine was overloaded`]),
    ...verdict.problems,
    ...faults,
  ];
  return { text: lines.join("\n"), faults };
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

function listOf<Value>(entries: Record<string, Value>, say: (value: Value) => string): string {
  return Object.entries(entries)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name} ${say(value)}`)
    .join(", ");
}

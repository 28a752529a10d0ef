import type { Verdict } from "../../support/ledger.ts";
import type { ServiceAccount } from "../../support/service-account.ts";
import type { StoredVerdict } from "../../support/stored-account.ts";
import type { Developer } from "./developer.ts";
import type { EndlessLoad } from "./endless-load.ts";
import type { NotRun } from "./fault.ts";
import { RESUME_MAX_SECONDS } from "./machine-faults.ts";
import type { Struck } from "./strikes.ts";

export type Result = {
  struckMs: number;
  drainedMs: number;
  overloadedSeconds: number;
  struck: Struck;
  notRun: NotRun[];
  /** Parts that do not serve in the end. */
  silent: string[];
  verdict: Verdict;
  stored: StoredVerdict;
  /** What callers saw that is stored nowhere, or more than one reply to a call. */
  shownWrong: string[];
  account: ServiceAccount;
  /** Dead letters that were no poison. */
  givenUp: ServiceAccount["deadLetters"];
  load: EndlessLoad;
  developer: Developer;
  /** What the service logged with an answer of 50000. */
  bugs: string[];
};

/** The figures of a run, or of many added up. */
export type Figures = {
  runs: number;
  faults_proven: number;
  accepted: number;
  lost: number;
  reordered: number;
  duplicates: number;
  missed: number;
  voided: number;
  stuck: number;
  phantoms: number;
  repeats_with_other_id: number;
  repeats_with_other_body: number;
  duplicates_without_fault: number;
  /** Commits that PostgreSQL made while their answers were cut off. */
  cut_answers: number;
  stored_twice: number;
  not_stored: number;
  false_refusals: number;
  shown_wrong: number;
  silent: number;
  dead_letters: number;
  given_up: number;
  given_up_causes: Record<string, number>;
  /** After a single attempt: what fails once may be well a moment later. */
  given_up_at_once: number;
  unanswered: number;
  attempts: number;
  minutes: number;
  drain_seconds_max: number;
  overloaded_seconds: number;
  /** From the death of a machine until what was under way was delivered; kinds of the cluster alone. */
  resume_s_max: number;
  resume_s: Record<string, number[]>;
  /** The longest time meanwhile in which nothing was delivered at all. */
  gap_s: Record<string, number[]>;
  /** Kinds of the cluster alone: what reached a primary that had been replaced. */
  stray_writes: number;
  by_kind: Record<string, number>;
  not_run: Record<string, string>;
  developer_trouble: Record<string, number>;
  other_answers: Record<string, number>;
};

export function figuresOf(result: Result): Figures {
  const { struck, verdict, stored, account, load, developer } = result;
  const resumed = secondsIn(struck, "resumeSeconds");
  return {
    runs: 1,
    faults_proven: struck.proven.length,
    accepted: load.accepted.length,
    lost: verdict.lost.length,
    reordered: verdict.reordered.length,
    duplicates: verdict.duplicates.length,
    missed: struck.missed.length,
    voided: struck.voided.length,
    stuck: verdict.stuck.length,
    phantoms: verdict.phantoms.length,
    repeats_with_other_id: verdict.repeatsWithOtherId.length,
    repeats_with_other_body: verdict.repeatsWithOtherBody.length,
    duplicates_without_fault: verdict.duplicatesWithoutFault.length,
    cut_answers: struck.proven.reduce((sum, { evidence }) => sum + Number(evidence["answers"] ?? 0), 0),
    stored_twice: stored.storedTwice.length,
    not_stored: stored.notStored.length,
    false_refusals: stored.falseRefusals.length,
    shown_wrong: result.shownWrong.length,
    silent: result.silent.length,
    dead_letters: account.deadLetters.length,
    given_up: result.givenUp.length,
    given_up_causes: countBy(result.givenUp, ({ cause }) => cause),
    given_up_at_once: account.deadLetters.filter(({ attempts }) => attempts < 2).length,
    unanswered: load.unanswered.length,
    attempts: developer.received.length,
    minutes: Math.round((result.struckMs + result.drainedMs) / 6_000) / 10,
    drain_seconds_max: Math.round(result.drainedMs / 1000),
    overloaded_seconds: result.overloadedSeconds,
    resume_s_max: Math.max(0, ...Object.values(resumed).flat()),
    resume_s: resumed,
    gap_s: secondsIn(struck, "gapSeconds"),
    stray_writes: struck.proven.reduce((sum, { evidence }) => sum + Number(evidence["strayWrites"] ?? 0), 0),
    by_kind: countBy(struck.proven, ({ kind }) => kind),
    not_run: Object.fromEntries(result.notRun.map(({ kind, lacks }) => [kind, lacks])),
    developer_trouble: developer.trouble,
    other_answers: load.failures,
  };
}

/** What the faults of each kind measured, one number a fault. */
function secondsIn({ proven }: Struck, name: string): Record<string, number[]> {
  const timed = proven.filter(({ evidence }) => evidence[name] !== undefined);
  const groups = Object.entries(Object.groupBy(timed, ({ kind }) => kind));
  return Object.fromEntries(
    groups.map(([kind, faults = []]) => [kind, faults.map(({ evidence }) => Number(evidence[name]))]),
  );
}

function countBy<T>(things: T[], nameOf: (thing: T) => string): Record<string, number> {
  const groups = Object.entries(Object.groupBy(things, nameOf));
  return Object.fromEntries(groups.map(([name, group]) => [name, group?.length ?? 0]));
}

/**
 * A kind that one run could not break is not run in the sum only if no run broke it. What an older run did not count yet is the
 * sum of those that did.
 */
export function addFigures(one: Figures, other: Figures): Figures {
  const added = Object.fromEntries(
    (Object.keys({ ...one, ...other }) as (keyof Figures)[]).map((name) => {
      const [value, more] = [one[name], other[name]];
      if (value === undefined || more === undefined) return [name, value ?? more];
      if (name === "drain_seconds_max" || name === "resume_s_max")
        return [name, Math.max(Number(value), Number(more))];
      if (typeof value === "number") return [name, Math.round((value + Number(more)) * 10) / 10];
      return [name, addCounts(value, more as Record<string, Counted>)];
    }),
  ) as Figures;
  const not_run = Object.entries(added.not_run).filter(([kind]) => added.by_kind[kind] === undefined);
  return { ...added, not_run: Object.fromEntries(not_run) };
}

type Counted = number | string | number[];

function addCounts(one: Record<string, Counted>, other: Record<string, Counted>): Record<string, Counted> {
  const sum = { ...one };
  for (const [name, count] of Object.entries(other)) {
    const known = sum[name];
    if (Array.isArray(known) && Array.isArray(count)) sum[name] = [...known, ...count];
    else sum[name] = typeof count === "number" && typeof known === "number" ? known + count : count;
  }
  return sum;
}

/** Work refused for now, also because an agent has its share of a node that waits for a database, and no answer at all. */
const HONEST_ANSWERS = ["42900", "50300", "unanswered"];

/** The sentences that make a run fail. */
export function complaintsOf(figures: Figures): string[] {
  const zeros = [
    "lost",
    "stuck",
    "reordered",
    "phantoms",
    "repeats_with_other_id",
    "repeats_with_other_body",
    "duplicates_without_fault",
    "stored_twice",
    "not_stored",
    "false_refusals",
    "shown_wrong",
    "given_up_at_once",
    "silent",
    "voided",
    "stray_writes",
  ] as const;
  return [
    ...zeros.filter((name) => figures[name] > 0).map((name) => `${name}: ${figures[name]}`),
    ...(figures.resume_s_max < RESUME_MAX_SECONDS ? [] : ["messages did not flow again after a fault"]),
    ...(figures.faults_proven > 0 ? [] : ["no fault was proven"]),
    ...Object.entries(figures.other_answers)
      .filter(([code]) => !HONEST_ANSWERS.includes(code))
      .map(([code, count]) => `${count} callers were answered with ${code}`),
  ];
}

/** For people: what went wrong, one of each sort first. */
export function describeResult({ struck, silent, verdict, stored, shownWrong, bugs }: Result): string[] {
  const findings = Object.entries({ ...verdict, ...stored, shownWrong }).filter(
    ([name]) => name !== "duplicates",
  );
  return [
    ...struck.missed.map(({ kind, reason }) => `missed: ${kind}: ${reason}`),
    ...struck.voided.map(({ kind, reason }) => `void: ${kind}: ${reason}`),
    ...silent.map((name) => `silent: ${name}`),
    ...bugs.slice(0, 5),
    ...findings.flatMap(([name, found]) =>
      found.slice(0, 5).map((message) => `${name}: ${JSON.stringify(message)}`),
    ),
  ];
}

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import type { DeadLetter, Interval, Verdict } from "../support/ledger.ts";
import { drained, judgeLoad, LOAD_ENVIRONMENT, prepareLoad, startLoad } from "../support/load.ts";
import type { Load } from "../support/load.ts";
import type { Mutation } from "../support/mutant-module.ts";
import { mutantEnvironment, mutationsIn } from "../support/mutant-service.ts";
import { withClient } from "../support/postgres.ts";
import { eventually } from "../support/processes.ts";
import { now } from "../support/receiver.ts";
import type { MessageBody } from "../support/receiver.ts";
import { accountOf } from "../support/service-account.ts";

const CONVERSATIONS = 6;
const MESSAGES_EACH = 10;
const QUIET = 2 * CONVERSATIONS;
const UNTIL_API_DIES = 5 * CONVERSATIONS;
const UNTIL_WORKER_DIES = MESSAGES_EACH * CONVERSATIONS;
/** Refused at every attempt, until it is given up. */
export const POISON = "c0m1";
/** Refused once. */
export const UNLUCKY = new Set(["c1m0", "c2m1"]);
const HEAL_MS = 30_000;
/** Longer than two requests need that are sent at once: the second arrives while the first has no answer. */
const ANSWER_MS = 50;

export type Scenario = { verdict: Verdict; deadLetters: DeadLetter[]; refusals: number };

/** No reconciler mends a mistake. Then no api dies either: the reconciler would have to make its calls. */
export const WITHOUT_RECONCILER = { reconciles: false };

/**
 * One small story with an occasion for every mistake that is sown: a refusal, a poison, an api that dies before its commit,
 * and a worker that dies before its answers.
 */
export async function runScenario(
  mutations: Mutation[],
  { reconciles } = { reconciles: true },
): Promise<Scenario> {
  await using bed = await openBed({
    apis: 1,
    workers: 1,
    environment: {
      ...LOAD_ENVIRONMENT,
      DELIVERY_RETRY_SECONDS: "0.2",
      DELIVERY_BLOCKED_SECONDS: "1",
      DELIVERY_TIMEOUT_SECONDS: "20",
      ...(reconciles ? {} : { RECONCILE_GRACE_SECONDS: "86400" }),
      ...(mutations.length > 0 ? mutantEnvironment(mutations) : {}),
    },
  });
  const files = mutations.map(({ file }) => file);
  for (const service of [bed.api(), bed.worker()])
    assert.deepEqual(
      mutationsIn(service.logs()).toSorted(),
      files.toSorted(),
      `${service.name} is no mutant`,
    );

  const developer = playDeveloper(bed);
  const target = await prepareLoad(bed, { conversations: CONVERSATIONS, messagesEach: MESSAGES_EACH });
  const load = startLoad(bed, target, QUIET);
  try {
    await load.acceptedCount(QUIET, HEAL_MS);
    const faults = [
      ...(reconciles ? [await killApiBeforeCommit(bed, load)] : []),
      await killWorkerBeforeAnswers(bed, load, developer),
    ];
    await load.acceptedCount(UNTIL_WORKER_DIES, HEAL_MS);
    // What a mutant never delivers is for the judge to report.
    await drained(bed, HEAL_MS).catch(() => undefined);
    const account = await accountOf(bed);
    const verdict = judgeLoad(bed, load, { ...account, faults });
    return { verdict, deadLetters: account.deadLetters, refusals: developer.refusals };
  } finally {
    developer.answer();
    await load.stop();
  }
}

type Developer = {
  refusals: number;
  held: number;
  /** From now on nobody gets an answer. */
  hold(): void;
  /** Everybody whom he kept waiting is cut off: what they brought is forgotten. */
  forget(): void;
  answer(): void;
};

function playDeveloper({ receiver }: Bed): Developer {
  let gate: PromiseWithResolvers<"forget" | "answer"> | undefined;
  const refused = new Set<string>();
  const developer: Developer = {
    refusals: 0,
    held: 0,
    hold: () => void (gate = Promise.withResolvers()),
    forget: () => gate?.resolve("forget"),
    answer() {
      gate?.resolve("answer");
      gate = undefined;
    },
  };
  receiver.respond(async ({ body }) => {
    const text = (body as MessageBody).output[0]?.content.text ?? "";
    if (text === POISON || (UNLUCKY.has(text) && !refused.has(text))) {
      refused.add(text);
      developer.refusals += 1;
      return { status: 500 };
    }
    await sleep(ANSWER_MS);
    if (gate === undefined) return undefined;
    developer.held += 1;
    return (await gate.promise) === "forget" ? { destroySocket: true } : undefined;
  });
  return developer;
}

/** No message can be written while the table is locked: an acceptance that is reported then is false. */
async function killApiBeforeCommit(bed: Bed, load: Load): Promise<Interval> {
  const from = await withClient(bed.database.superuserUrl, async (holder) => {
    await holder.query("begin");
    await holder.query("lock table message in access exclusive mode");
    load.allow(UNTIL_API_DIES);
    await eventually("messages wait to be written", async () => {
      const waiting = await bed.database.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and position('answering as' in query) > 0`,
      );
      return waiting.length > 0;
    });
    const begun = now();
    await bed.api().kill9();
    await holder.query("rollback");
    return begun;
  });
  await bed.api().start();
  await load.acceptedCount(UNTIL_API_DIES, HEAL_MS);
  return { from, until: now() };
}

async function killWorkerBeforeAnswers(bed: Bed, load: Load, developer: Developer): Promise<Interval> {
  developer.hold();
  load.allow(UNTIL_WORKER_DIES);
  await load.acceptedCount(UNTIL_WORKER_DIES, HEAL_MS);
  await eventually("messages wait for an answer", () => developer.held > 0, { timeoutMs: HEAL_MS });
  const from = now();
  await bed.worker().kill9();
  developer.forget();
  await bed.worker().start();
  developer.answer();
  return { from, until: now() };
}

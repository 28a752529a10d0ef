import { setTimeout as sleep } from "node:timers/promises";
import { openBedDirectory } from "../../support/bed-directory.ts";
import { openBed } from "../../support/bed.ts";
import type { Bed } from "../../support/bed.ts";
import { judge } from "../../support/ledger.ts";
import type { Interval } from "../../support/ledger.ts";
import { drained } from "../../support/load.ts";
import { eventually, freePort } from "../../support/processes.ts";
import { now } from "../../support/receiver.ts";
import { accountOf } from "../../support/service-account.ts";
import { clockFaults, makeClocks } from "./clock-faults.ts";
import { databaseFaults } from "./database-faults.ts";
import { createDeveloper, keyOf, makeTrouble, POISON } from "./developer.ts";
import type { Developer } from "./developer.ts";
import { diskFaults, makeDisks } from "./disk-faults.ts";
import { prepareAgents, startEndlessLoad } from "./endless-load.ts";
import type { EndlessLoad } from "./endless-load.ts";
import type { Evidence, Fault, FaultChoice } from "./fault.ts";
import { networkFaults } from "./network-faults.ts";
import { processFaults } from "./process-faults.ts";
import { seededRandom } from "./seeded-random.ts";
import type { Result } from "./result.ts";

export type Campaign = {
  seed: number;
  /** It ends when all three are reached. */
  minutes: number;
  faults: number;
  messages: number;
  /** Only these kinds; all when empty. */
  only: string[];
  say: (line: string) => void;
};

/** Faults of different parts overlap this often. */
const STRIKERS = 2;
/** A fault with less under way proves nothing. */
const UNDER_WAY_MIN = 10;
const FLOWS_MIN = 25;
const HEAL_MS = 120_000;
/** Counted to the fault: what was cut off by it comes back to life a moment later. */
const AFTERMATH_MS = 5_000;
const DEADLINE_SECONDS = 2;

/** The deadlines are short, so that a pause outlives them; everything else is as operators have it. */
const ENVIRONMENT = {
  RATE_LIMIT_PER_SECOND: "1000000",
  LOG_LEVEL: "warn",
  DATABASE_POOL_SIZE: "5",
  DELIVERY_TIMEOUT_SECONDS: String(DEADLINE_SECONDS),
  DELIVERY_RETRY_SECONDS: "0.3,1,2",
  DELIVERY_BLOCKED_SECONDS: "20",
};
const ENGINE_ENVIRONMENT = {
  RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_INTERVAL: "1s",
  RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_TIMEOUT: "1s",
};
const CONNECTIONS_MAX = 80;

/** Breaks things under load until there was enough of it, lets everything drain, and judges. */
export async function runCampaign(campaign: Campaign): Promise<Result> {
  const { seed, say } = campaign;
  await using closing = new AsyncDisposableStack();
  const directory = closing.use(await openBedDirectory());
  const disks = makeDisks();
  const clocks = makeClocks(directory.path);
  const developer = createDeveloper();
  const engineServicePort = await freePort();
  const bed = closing.use(
    await openBed({
      environment: {
        ...ENVIRONMENT,
        ...clocks.serviceEnvironment,
        ENGINE_SERVICE_PORT: String(engineServicePort),
        ENGINE_SERVICE_URI: `http://127.0.0.1:${engineServicePort}`,
      },
      engineEnvironment: ENGINE_ENVIRONMENT,
      receiver: { onEnded: (request) => developer.onEnded(request) },
      ownCluster: {
        settings: { max_connections: CONNECTIONS_MAX },
        environment: clocks.clusterEnvironment,
        ...("lacks" in disks ? {} : { dataDirectory: `${disks.postgres.path}/data` }),
      },
      ...("lacks" in disks ? {} : { engineDataDirectory: `${disks.engine.path}/data` }),
    }),
  );
  const choices: FaultChoice[] = [
    { faults: [...processFaults(bed), ...databaseFaults(bed)], notRun: [] },
    networkFaults(bed, engineServicePort),
    diskFaults(bed, disks),
    clockFaults(bed, clocks),
  ];
  const notRun = choices.flatMap((choice) => choice.notRun);
  for (const { kind, lacks } of notRun) say(`not run: ${kind} ${lacks}`);

  // Each has numbers of its own, so that the order of the faults does not depend on how quick the users are.
  makeTrouble(developer, bed.receiver, seededRandom(seed + 1), DEADLINE_SECONDS * 1000);
  const load = startEndlessLoad(bed, await prepareAgents(bed), seededRandom(seed + 2));
  closing.defer(() => load.stop());
  developer.onAcknowledged((message) => load.taken(message));

  const begun = now();
  const faults = choices.flatMap((choice) => choice.faults);
  const struck = await strikeAll(campaign, faults, { load, developer });
  const struckMs = now() - begun;
  say("everything is mended; what is under way drains");
  developer.behave();
  await load.stop();
  const drainedMs = await drain(bed, say);
  const silent = await whoIsSilent(bed);
  const account = await accountOf(bed, keyOf);
  const verdict = judge({ ...load, received: developer.received, ...account, faults: struck.intervals });
  const givenUp = account.deadLetters.filter(({ key }) => !key.endsWith(POISON)).length;
  return { struckMs, drainedMs, struck, notRun, silent, verdict, account, givenUp, load, developer };
}

type Work = { load: EndlessLoad; developer: Developer };
export type Struck = {
  proven: { kind: string; evidence: Evidence }[];
  voided: { kind: string; reason: string }[];
  intervals: Interval[];
};

async function strikeAll(campaign: Campaign, faults: Fault[], work: Work): Promise<Struck> {
  const { minutes, say, only } = campaign;
  const { load, developer } = work;
  const random = seededRandom(campaign.seed);
  const chosen = faults.filter(({ kind }) => only.length === 0 || only.includes(kind));
  const endsAt = now() + minutes * 60_000;
  const struck: Struck = { proven: [], voided: [], intervals: [] };
  const busy = new Set<string>();
  let takenAtLastFault = 0;
  let under = 0;
  let isStalled = false;
  let waiting: Fault[] = [];

  /** Every kind in turn, as often as it weighs, in an order that the seed decides. */
  const nextFault = () => {
    if (waiting.length === 0)
      waiting = random.shuffled(chosen.flatMap((fault) => Array.from({ length: fault.weight }, () => fault)));
    const at = waiting.findIndex(({ part }) => !busy.has(part));
    return at === -1 ? undefined : waiting.splice(at, 1)[0];
  };
  const isEnough = () =>
    isStalled ||
    (now() >= endsAt &&
      struck.proven.length + under >= campaign.faults &&
      load.accepted.length >= campaign.messages);
  /** A fault in a standstill would hit nothing. */
  const flows = () =>
    eventually(
      "messages flow again",
      () => {
        const isFlowing = developer.received.length >= takenAtLastFault + FLOWS_MIN;
        return isEnough() || (isFlowing && load.underWay() >= UNDER_WAY_MIN);
      },
      { timeoutMs: HEAL_MS, everyMs: 10 },
    );
  /** When many messages are asked for beside many faults, the faults are spread over them. */
  const isAhead = () =>
    campaign.faults > 0 &&
    campaign.messages > 0 &&
    struck.proven.length + under >= (campaign.faults * load.accepted.length) / campaign.messages;

  async function striker(): Promise<void> {
    while (!isEnough()) {
      const fault = isAhead() ? undefined : nextFault();
      if (fault === undefined) {
        await sleep(20);
        continue;
      }
      busy.add(fault.part);
      under += 1;
      const dice = seededRandom(random.between(0, 2 ** 31));
      await flows().catch((error: unknown) => {
        isStalled = true;
        struck.voided.push({ kind: fault.kind, reason: String(error) });
      });
      if (isStalled) return;
      const [from, underWay] = [now(), load.underWay()];
      try {
        const evidence = { underWay, ...(await fault.strike(dice)) };
        struck.proven.push({ kind: fault.kind, evidence });
        const figures = `${struck.proven.length} faults, ${load.accepted.length} accepted`;
        say(`${fault.kind} ${JSON.stringify(evidence)} | ${figures}`);
      } catch (error) {
        struck.voided.push({ kind: fault.kind, reason: String(error) });
        say(`void: ${fault.kind}: ${String(error)}`);
      } finally {
        struck.intervals.push({ from, until: now() + AFTERMATH_MS });
        takenAtLastFault = developer.received.length;
        busy.delete(fault.part);
        under -= 1;
      }
    }
  }
  await Promise.all(Array.from({ length: STRIKERS }, striker));
  return struck;
}

/** Whoever was started again after his fault and fell over by himself since. */
async function whoIsSilent({ apis, workers, engine }: Bed): Promise<string[]> {
  const parts = [...apis, ...workers, { name: "engine", isReady: () => engine.isHealthy() }];
  const answers = await Promise.all(
    parts.map(({ isReady }) => eventually("it is ready", isReady, { timeoutMs: 30_000 }).catch(() => false)),
  );
  return parts.flatMap(({ name }, index) => (answers[index] === false ? [name] : []));
}

/** Gives how long it took; what does not drain is for the judge to report. */
async function drain(bed: Bed, say: (line: string) => void): Promise<number> {
  const begun = now();
  await drained(bed, HEAL_MS).catch((error: unknown) => say(String(error)));
  return now() - begun;
}

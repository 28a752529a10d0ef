import type { BedOf } from "../../support/bed.ts";
import type { ReachableEngine } from "../../support/engine.ts";
import { judge } from "../../support/ledger.ts";
import { drained } from "../../support/load.ts";
import { eventually } from "../../support/processes.ts";
import { now } from "../../support/receiver.ts";
import { accountOf } from "../../support/service-account.ts";
import { judgeViews } from "../../support/client-views.ts";
import { judgeStored, readStored, type Stored } from "../../support/stored-account.ts";
import { createDeveloper, keyOf, POISON } from "./developer.ts";
import { prepareAgents, sendOneMore, startEndlessLoad } from "./endless-load.ts";
import { openMachines } from "./machines.ts";
import { watchOverload } from "./overload.ts";
import { seededRandom } from "./seeded-random.ts";
import { DEADLINE_SECONDS, openSingleParts } from "./single-parts.ts";
import type { Result } from "./result.ts";
import type { Shown } from "./streaming-callers.ts";
import { strikeAll } from "./strikes.ts";
import type { StrikeOptions } from "./strikes.ts";

/** What breaks: parts that come back, or the machines of a cluster. */
export const KINDS = { parts: openSingleParts, cluster: openMachines };

export type Campaign = StrikeOptions & { seed: number; kinds: keyof typeof KINDS };

/** Longer than two tries of a destination that is down, and what a poison message may hold up its conversation after that. */
const STANDSTILL_MS = 120_000;
const DRAIN_MAX_MS = 600_000;

/** Breaks things under load until there was enough of it, lets everything drain, and judges. */
export async function runCampaign(campaign: Campaign): Promise<Result> {
  const { seed, say } = campaign;
  await using closing = new AsyncDisposableStack();
  // Each has numbers of its own, so that the order of the faults does not depend on how quick the users are.
  const developer = createDeveloper(seededRandom(seed + 1), DEADLINE_SECONDS * 1000);
  const ground = closing.use(await KINDS[campaign.kinds]((request) => developer.onEnded(request)));
  const { bed } = ground;
  if (!ground.isDeveloperTroublesome) developer.behave();

  bed.receiver.respond((request) => developer.respond(request));
  const agents = await prepareAgents(bed);
  const load = startEndlessLoad(bed, agents, seededRandom(seed + 2), ground.load);
  closing.defer(() => load.stop());
  developer.onAcknowledged((message) => load.taken(message));
  const choices = ground.choices(load);
  const notRun = choices.flatMap((choice) => choice.notRun);
  for (const { kind, lacks } of notRun) say(`not run: ${kind} ${lacks}`);

  const overload = closing.use(watchOverload());
  const begun = now();
  const faults = choices.flatMap((choice) => choice.faults);
  const struck = await strikeAll(faults, campaign, {
    random: seededRandom(seed),
    underWay: () => load.underWay(),
    accepted: () => load.accepted.length,
    received: () => developer.received.length,
  });
  const struckMs = now() - begun;
  say("everything is mended; what is under way drains");
  developer.behave();
  await load.stop();
  const drainedMs = await drain(bed, say, async () => {
    load.accepted.push(...(await sendOneMore(bed, agents, load.calls)));
  });
  const silent = await whoIsSilent(bed);
  const account = await accountOf(bed, keyOf);
  const verdict = judge({
    ...load,
    received: developer.received,
    ...account,
    faults: [...struck.intervals, ...overload.intervals],
  });
  const tables = await readStored(bed);
  const stored = judgeStored(load.calls, tables);
  const overloadedSeconds = overload.seconds();
  const givenUp = account.deadLetters.filter(({ key }) => !key.endsWith(POISON));
  return {
    struckMs,
    drainedMs,
    overloadedSeconds,
    struck,
    notRun,
    silent,
    verdict,
    stored,
    shownWrong: judgeShown(load.shown, tables),
    account,
    givenUp,
    load,
    developer,
    bugs: bed
      .logs()
      .split("\n")
      .filter((line) => /"event":"(http_request|event_stream)_crashed"/.test(line)),
  };
}

/** Compares what callers saw with what is stored, conversation by conversation. */
function judgeShown(shown: Shown, { messages }: Stored): string[] {
  const byConversation = Map.groupBy(messages, ({ conversationId }) => conversationId);
  return [...shown].flatMap(([conversationId, views]) => {
    const stored = (byConversation.get(conversationId) ?? []).map((message, seq) => ({ ...message, seq }));
    return judgeViews(views, stored).map((problem) => `${conversationId}: ${problem}`);
  });
}

/** The parts that were started again after their fault and have died by themselves since. */
async function whoIsSilent({ apis, workers, engine }: BedOf<ReachableEngine>): Promise<string[]> {
  const parts = [...apis, ...workers, { name: "engine", isReady: () => engine.isHealthy() }];
  const answers = await Promise.all(
    parts.map((part) =>
      eventually("it is ready", () => part.isReady(), { timeoutMs: 30_000 }).catch(() => false),
    ),
  );
  return parts.flatMap(({ name }, index) => (answers[index] === false ? [name] : []));
}

/**
 * Gives how long it took. As long as less and less is left, nothing is stuck; what stays is for the judge to report. A poison
 * message that is the last of its destination looks like one that is down, until somebody else's message is answered.
 */
async function drain(
  bed: BedOf<ReachableEngine>,
  say: (line: string) => void,
  sendMore: () => Promise<void>,
): Promise<number> {
  const begun = now();
  for (let before = Infinity; now() - begun < DRAIN_MAX_MS;) {
    const isDrained = await drained(bed, STANDSTILL_MS).then(
      () => true,
      (error: unknown) => (say(String(error)), false),
    );
    const left = isDrained ? 0 : (await accountOf(bed, keyOf)).waiting.length;
    if (left === 0 || left >= before) break;
    before = left;
    await sendMore();
  }
  return now() - begun;
}

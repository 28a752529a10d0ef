import { randomUUID } from "node:crypto";
import { togetherOf, workOf, type Scene } from "./actions.ts";
import { NEIGHBOURS, type History, type Round } from "./drawn-history.ts";
import { judge, type Account } from "./judge.ts";
import { Schedule, type Operation } from "./schedule.ts";
import type { SimulatedDatabase } from "./simulated-database.ts";
import { openWorld } from "./world.ts";
import {
  USER_ID,
  type Behaviour,
  type Invocation,
  type Place,
  type Rooms,
  type Settled,
} from "./world-parts.ts";
import type { World } from "./world-shape.ts";

export interface Verdict {
  problems: string[];
  /** What both sides saw and what was written, when there is something to explain: it may not happen again. */
  evidence: Record<string, unknown>;
}

const FAULTLESS: Verdict = { problems: [], evidence: {} };
const SETTLE_ROUNDS_MAX = 200;
const SET_BACK_MS = 3_600_000;

/** Plays one history over the real transactions, lets everything come to rest, and says what is not as it was promised. */
export async function play(
  database: SimulatedDatabase,
  settled: Settled,
  { rounds, seed, deskRefuses, atInbox }: History,
  rooms: Rooms,
): Promise<Verdict> {
  const schedule = new Schedule(seed);
  const place = atInbox ? settled.inbox : settled.desk;
  const ids: [string, ...string[]] = [
    randomUUID(),
    ...Array.from({ length: NEIGHBOURS }, () => randomUUID()),
  ];
  await database.query(
    `insert into conversation (agent_id, id, channel, user_id)
     select $1, id, 'api', case place when 1 then $3 else 'neighbour' end from unnest($2::uuid[]) with ordinality as c(id, place)`,
    [place.agentId, ids, USER_ID],
  );
  database.follow(schedule);
  const clock = await openClock(database);
  const world = openWorld(database, place, ids, schedule, rooms);
  const account: Account = { said: [], asked: [], replied: [], world };
  try {
    for (const one of rounds) await playRound(one, deskRefuses, { world, account, schedule, clock });
    await comeToRest(world, schedule, clock, database);
    const problems = await judge(database, account);
    return problems.length === 0 ? FAULTLESS : { problems, evidence: await gather(database, world) };
  } catch (error) {
    const evidence = await gather(database, world);
    return { problems: [`the history did not end: ${String(error)}`], evidence };
  } finally {
    database.follow(undefined);
    await clock.reset();
    await world.clients.close();
    await forget(database, place);
  }
}

interface Clock {
  now(): number;
  advance(ms: number): Promise<void>;
  /** For the database alone. */
  setBack(ms: number): Promise<void>;
  reset(): Promise<void>;
}

/** Stands still but for what is added by hand, and the moments a statement takes. */
async function openClock(database: SimulatedDatabase): Promise<Clock> {
  let offset = 0;
  let back = 0;
  return {
    now: () => Date.now() + offset,
    async advance(ms) {
      offset += Math.max(0, Math.ceil(ms));
      await database.setOffset(offset - back);
    },
    async setBack(ms) {
      back += ms;
      await database.setOffset(offset - back);
    },
    reset: () => database.setOffset(0),
  };
}

type Planned = Operation & { work: () => Promise<unknown> };

async function playRound(
  { actions, crash, answerLost, engineAway, passes, setsClockBack, erases }: Round,
  deskRefuses: boolean,
  { world, account, schedule, clock }: Omit<Scene, "taken" | "clock"> & { clock: Clock },
): Promise<void> {
  world.setNow(clock.now());
  world.isEngineAway = engineAway;
  world.behave = (call) =>
    deskRefuses && call === "establish" ? "refuses" : behaviourFrom(schedule.random());
  if (engineAway) world.needsReconciler = true;
  const taken: Invocation[] = [];
  const goingOn = world.callers.goingOn();
  const operations = actions.flatMap((one, index): Planned[] => {
    const work = workOf(one, { world, account, schedule, clock, taken });
    if (work === undefined) return [];
    const losesAnswerFrom = answerLost?.action === index ? answerLost.step : undefined;
    // Nobody makes the calls that were to follow the commit.
    if (losesAnswerFrom !== undefined) world.needsReconciler = true;
    if (crash?.action !== index) return [{ name: one.do, diesAt: undefined, losesAnswerFrom, work }];
    world.mayRepeat = true;
    if (one.do !== "work") world.needsReconciler = true;
    const failsOnly = one.do === "work" && togetherOf(one.pick) > 1 && crash.step % 2 === 1;
    const at = failsOnly ? { diesAt: undefined, failsAt: crash.step } : { diesAt: crash.step };
    return [{ name: one.do, work, ...at }];
  });
  for (const goOn of goingOn) operations.push({ name: "model", diesAt: undefined, work: goOn });
  if (erases) operations.push({ name: "erase", diesAt: undefined, work: () => world.erase() });
  world.clients.beginRound();
  if (operations.length > 0) await schedule.run(operations);
  await world.endRound(passes !== "at once");
  // No model takes longer than a moment or two.
  if (passes !== "at once" && passes !== "a moment") await world.callers.goOn();
  // A call whose worker died is made again by the engine, unless it forgot it.
  await clock.advance(await passing(passes, world, clock));
  if (!setsClockBack) return;
  world.needsReconciler = true;
  await clock.setBack(SET_BACK_MS);
}

function behaviourFrom(random: number): Behaviour {
  if (random < 0.82) return "ok";
  if (random < 0.9) return "refuses";
  return random < 0.97 ? "lost" : "unreachable";
}

async function passing(passes: Round["passes"], world: World, clock: Clock): Promise<number> {
  switch (passes) {
    case "at once":
      return 0;
    case "a moment":
      return 700;
    case "an outage":
      return 2 * 3_600_000;
    case "until the timer warns":
    case "until the timer is due": {
      const looks = world.queue.filter(isLook).map(({ dueAt }) => dueAt);
      const next = looks.length === 0 ? 0 : Math.max(0, Math.min(...looks) - clock.now());
      return passes === "until the timer warns" ? next : next + 61_000;
    }
  }
}

function isLook({ calls, alarm }: Invocation): boolean {
  return alarm !== undefined || calls.every(({ object }) => object === "handoff");
}

/** Everybody is well again: what was asked for is done, until nothing is left to do. Open handoffs stay open. */
async function comeToRest(
  world: World,
  schedule: Schedule,
  clock: Clock,
  database: SimulatedDatabase,
): Promise<void> {
  world.isEngineAway = false;
  world.behave = () => "ok";
  world.clients.beginRound();
  for (let turn = 0; turn < SETTLE_ROUNDS_MAX; turn += 1) {
    world.setNow(clock.now());
    if (world.callers.areOpen()) await world.callers.goOn();
    const next = world.queue
      .filter((one) => !isLook(one) || one.dueAt <= clock.now())
      .toSorted((a, b) => a.dueAt - b.dueAt)[0];
    if (next === undefined) {
      if (!world.callers.areOpen() && (await isAtRest(world, database))) return world.endRound(true);
      await clock.advance(30_000);
      world.setNow(clock.now());
      const [forgotten] = await schedule.run([
        { name: "sweep", diesAt: undefined, work: () => world.sweep() },
      ]);
      if (!world.needsReconciler && forgotten !== 0)
        world.surprises.push(`${String(forgotten)} turns and lanes were forgotten by all but the reconciler`);
      continue;
    }
    world.queue.splice(world.queue.indexOf(next), 1);
    await clock.advance(next.dueAt - clock.now());
    world.setNow(clock.now());
    await schedule.run([{ name: "work", diesAt: undefined, work: () => world.perform(next) }]);
  }
  throw new Error("it did not come to rest");
}

async function isAtRest({ agentId }: World, { query }: SimulatedDatabase): Promise<boolean> {
  const [row] = await query<{ busy: boolean }>(
    `select exists (select from conversation where agent_id = $1 and control = 'bot'
        and (turn_awake or turn_done_seq < turn_due_seq))
      or exists (select from lane where agent_id = $1 and (state <> 'idle' or done_seq < tail_seq))
      or exists (select from handoff where agent_id = $1 and (state = 'requested' or timer_wake_at < sim.now() - interval '10 seconds'
        or timer_set_at > sim.now() + interval '40 seconds'))
      or exists (select from erasure where agent_id = $1 and state = 'running')
      as busy`,
    [agentId],
  );
  return row?.busy === false;
}

async function gather(
  { query }: SimulatedDatabase,
  { agentId, arrivals, clients }: World,
): Promise<Verdict["evidence"]> {
  const rowsOf = (table: string, order: string) =>
    query(`select * from ${table} where agent_id = $1 order by ${order}`, [agentId]);
  return {
    arrivals,
    views: clients.views,
    messages: await rowsOf("message", "seq"),
    handoffs: await rowsOf("handoff", "requested_at"),
    lanes: await rowsOf("lane", "id"),
    deliveries: await rowsOf("delivery", "created_at, lane_id, seq"),
    attempts: await rowsOf("attempt", "started_at"),
  };
}

async function forget({ query }: SimulatedDatabase, { agentId }: Place): Promise<void> {
  for (const table of [
    "message",
    "turn",
    "lane",
    "delivery",
    "attempt",
    "dead_letter",
    "handoff",
    "inbox_talk",
    "erasure",
    "conversation",
  ])
    await query(`delete from ${table} where agent_id = $1`, [agentId]);
  await query("delete from destination");
  await query("delete from watch.control");
  await query("delete from watch.violation");
  await query("delete from watch.answered");
  await query("delete from watch.holder");
}

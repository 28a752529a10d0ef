import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { judge, type Account } from "./judge.ts";
import { Crash, Schedule, type Operation } from "./schedule.ts";
import type { SimulatedDatabase } from "./simulated-database.ts";
import { openWorld, type Behaviour, type Invocation, type Rooms, type Settled, type World } from "./world.ts";

/** A greeting is answered with fewer statements than a question, and at once. */
const SAYINGS = ["question", "hello", "human please"] as const;
type Saying = (typeof SAYINGS)[number];

export type Action =
  | { do: "say"; says: Saying }
  | { do: "request" | "leave" | "close" | "sweep" }
  /** `again`: the human's last reply once more, word for word. */
  | { do: "reply"; again: boolean }
  /** Something the engine was asked for, if there is any; `pick` says which, and how many calls go to one worker together. */
  | { do: "work"; pick: number };

/** What happens at the same moment, and how much time passes before the next. */
export interface Round {
  actions: Action[];
  /** Which of the actions dies, and before which of its steps; of calls that go together one may fail instead. */
  crash: { action: number; step: number } | null;
  engineAway: boolean;
  passes: "at once" | "a moment" | "until the timer warns" | "until the timer is due" | "an outage";
  /** The database's clock only; the engine has its own. */
  setsClockBack: boolean;
}

export interface History {
  rounds: Round[];
  /** Every request for a person, until everybody is well again. */
  deskRefuses: boolean;
  seed: number;
}

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("say" as const), says: fc.constantFrom(...SAYINGS) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("work" as const), pick: fc.nat(7) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("reply" as const), again: fc.boolean() }) },
  { weight: 2, arbitrary: fc.constant({ do: "request" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "leave" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "close" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "sweep" as const }) },
);

const round: fc.Arbitrary<Round> = fc.record({
  actions: fc.array(action, { minLength: 1, maxLength: 4 }),
  crash: fc.option(fc.record({ action: fc.nat(3), step: fc.integer({ min: 1, max: 14 }) }), { freq: 5 }),
  engineAway: fc.nat(9).map((chance) => chance === 0),
  passes: fc.constantFrom(
    "at once",
    "at once",
    "a moment",
    "a moment",
    "until the timer warns",
    "until the timer is due",
    "an outage",
  ),
  setsClockBack: fc.nat(14).map((chance) => chance === 0),
});

export const history: fc.Arbitrary<History> = fc.record({
  rounds: fc.array(round, { minLength: 3, maxLength: 12 }),
  deskRefuses: fc.nat(4).map((chance) => chance === 0),
  seed: fc.nat(),
});

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
  { rounds, seed, deskRefuses }: History,
  rooms: Rooms,
): Promise<Verdict> {
  const schedule = new Schedule(seed);
  const conversationId = randomUUID();
  await database.query(
    "insert into conversation (agent_id, id, channel, user_id) values ($1, $2, 'api', 'user')",
    [settled.agentId, conversationId],
  );
  database.follow(schedule);
  const clock = await openClock(database);
  const world = openWorld(database, settled, conversationId, schedule, rooms);
  const account: Account = { said: [], replied: [], world };
  try {
    for (const one of rounds) await playRound(one, deskRefuses, world, account, schedule, clock);
    await comeToRest(world, schedule, clock, database);
    const problems = await judge(database, account);
    return problems.length === 0 ? FAULTLESS : { problems, evidence: await gather(database, world) };
  } catch (error) {
    const evidence = await gather(database, world);
    return { problems: [`the history did not end: ${String(error)}`], evidence };
  } finally {
    database.follow(undefined);
    await clock.reset();
    await forget(database, settled);
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
  { actions, crash, engineAway, passes, setsClockBack }: Round,
  deskRefuses: boolean,
  world: World,
  account: Account,
  schedule: Schedule,
  clock: Clock,
): Promise<void> {
  world.setNow(clock.now());
  world.isEngineAway = engineAway;
  world.behave = (call) =>
    deskRefuses && call === "establish" ? "refuses" : behaviourFrom(schedule.random());
  if (engineAway) world.needsReconciler = true;
  const taken: Invocation[] = [];
  const operations = actions.flatMap((one, index): Planned[] => {
    const work = workOf(one, world, account, schedule, clock, taken);
    if (work === undefined) return [];
    if (crash?.action !== index) return [{ name: one.do, diesAt: undefined, work }];
    world.mayRepeat = true;
    if (one.do !== "work") world.needsReconciler = true;
    const failsOnly = one.do === "work" && togetherOf(one.pick) > 1 && crash.step % 2 === 1;
    const at = failsOnly ? { diesAt: undefined, failsAt: crash.step } : { diesAt: crash.step };
    return [{ name: one.do, work, ...at }];
  });
  if (operations.length > 0) await schedule.run(operations);
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

function workOf(
  one: Action,
  world: World,
  account: Account,
  schedule: Schedule,
  clock: Clock,
  taken: Invocation[],
): (() => Promise<unknown>) | undefined {
  switch (one.do) {
    case "say": {
      const text = textOf(one.says, account.said.length);
      const said = { text, answer: undefined as unknown };
      account.said.push(said);
      return async () => void (said.answer = await world.say(text));
    }
    case "request":
      return () => world.request();
    case "leave":
      return () => world.leave();
    case "sweep":
      return () => world.sweep();
    case "close": {
      const handoffId = lastHandoff(world);
      return handoffId === undefined ? undefined : () => world.close(handoffId);
    }
    case "reply": {
      const last = account.replied.at(-1);
      const handoffId = lastHandoff(world);
      if (handoffId === undefined) return undefined;
      const fresh = {
        handoffId,
        // Odd, so never of whole seconds: only then is a repeat known by its time.
        timestamp: 2 * Math.floor(clock.now() / 2) + 1,
        body: `reply ${account.replied.length}`,
      };
      const words = one.again && last !== undefined ? last : fresh;
      const replied = { ...words, answer: undefined as unknown };
      account.replied.push(replied);
      return async () =>
        void (replied.answer = await world.reply(words.handoffId, words.timestamp, words.body));
    }
    case "work": {
      const next = takeNext(world, clock, taken, one.pick);
      if (next === undefined) return undefined;
      taken.push(next);
      return async () => {
        try {
          await world.perform(next);
          // A worker that died when it called the engine has not said that it is done.
          if (schedule.hasDiedCalling()) throw new Crash(one.do);
        } catch (error) {
          // What fails is made again; of what dies the engine forgets some.
          const hasDied = schedule.isDead();
          const isForgotten = hasDied && one.pick % 2 === 1;
          if (!isForgotten) world.queue.push(next);
          // A turn that is made again looks for lanes that it woke and did not call. What others would have called is the reconciler's.
          if (isForgotten || (hasDied && !next.calls.every(({ object }) => object === "turn")))
            world.needsReconciler = true;
          throw error;
        }
      };
    }
  }
}

/** Never the same twice in a conversation. */
function textOf(says: Saying, number: number): string {
  return says === "hello" ? `hello${"!".repeat(number + 1)}` : `${says} ${number}`;
}

const GIVEN_TWICE = 7;

/** How many calls go to one worker together. */
function togetherOf(pick: number): number {
  return pick < 4 ? 1 : 3;
}

/** A call with an invocation of its own waits for others of its key; those that may share one go together and wait for nobody. */
function takeNext(world: World, clock: Clock, taken: Invocation[], pick: number): Invocation | undefined {
  const keyOf = ({ calls: [call] }: Invocation) => `${call?.object}/${call?.key}`;
  const due = world.queue.filter(
    (one) =>
      one.dueAt <= clock.now() &&
      (one.isShared || !taken.some((other) => !other.isShared && keyOf(other) === keyOf(one))),
  );
  const first = due[pick % due.length];
  if (first === undefined) return undefined;
  const others = first.isShared
    ? due.filter((one) => one !== first && one.isShared && one.tries === first.tries)
    : [];
  const chosen = [first, ...others.slice(0, togetherOf(pick) - 1)];
  const next = { ...first, calls: chosen.flatMap(({ calls }) => calls) };
  world.queue = world.queue.filter((one) => !chosen.includes(one));
  // Its worker is silent: the engine gives the same calls to another, while the first goes on.
  if (pick === GIVEN_TWICE && first.isShared) {
    world.mayRepeat = true;
    world.queue.push(next);
  }
  return next;
}

/** A desk knows of a handoff by its establish and by nothing else. */
function lastHandoff({ arrivals }: World): string | undefined {
  return arrivals.findLast(({ call }) => call === "establish")?.body.conversation_id;
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
  for (let turn = 0; turn < SETTLE_ROUNDS_MAX; turn += 1) {
    world.setNow(clock.now());
    const next = world.queue
      .filter((one) => !isLook(one) || one.dueAt <= clock.now())
      .toSorted((a, b) => a.dueAt - b.dueAt)[0];
    if (next === undefined) {
      if (await isAtRest(world, database)) return;
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
      as busy`,
    [agentId],
  );
  return row?.busy === false;
}

async function gather(
  { query }: SimulatedDatabase,
  { agentId, arrivals }: World,
): Promise<Verdict["evidence"]> {
  const rowsOf = (table: string, order: string) =>
    query(`select * from ${table} where agent_id = $1 order by ${order}`, [agentId]);
  return {
    arrivals,
    messages: await rowsOf("message", "seq"),
    handoffs: await rowsOf("handoff", "requested_at"),
    lanes: await rowsOf("lane", "id"),
    deliveries: await rowsOf("delivery", "created_at, lane_id, seq"),
    attempts: await rowsOf("attempt", "started_at"),
  };
}

async function forget({ query }: SimulatedDatabase, { agentId }: Settled): Promise<void> {
  for (const table of [
    "message",
    "turn",
    "lane",
    "delivery",
    "attempt",
    "dead_letter",
    "handoff",
    "conversation",
  ])
    await query(`delete from ${table} where agent_id = $1`, [agentId]);
  await query("delete from destination");
  await query("delete from watch.control");
  await query("delete from watch.violation");
  await query("delete from watch.answered");
}

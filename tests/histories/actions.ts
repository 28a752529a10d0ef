import type { Action, Saying } from "./drawn-history.ts";
import type { Account } from "./judge.ts";
import { Crash, type Schedule } from "./schedule.ts";
import type { Invocation } from "./world-parts.ts";
import type { World } from "./world-shape.ts";

/** Where an action happens, and what those of the same round have taken up. */
export interface Scene {
  world: World;
  account: Account;
  schedule: Schedule;
  clock: { now(): number };
  taken: Invocation[];
}

/** What an action does; undefined when there is nothing to do it to. */
export function workOf(one: Action, scene: Scene): (() => Promise<unknown>) | undefined {
  const { world, account } = scene;
  switch (one.do) {
    case "say": {
      const text = textOf(one.says, account.said.length);
      // A person is asked for in one conversation alone.
      const beside = one.says === "human please" ? 0 : one.beside;
      const conversationIds = [world.conversationId, ...world.neighbours.slice(0, beside)];
      const said = conversationIds.map((conversationId) => ({
        conversationId,
        text,
        answer: undefined as unknown,
      }));
      account.said.push(...said);
      return async () => {
        const answers = await world.say(text, beside);
        for (const [index, answer] of answers.entries())
          if (said[index] !== undefined) said[index].answer = answer;
      };
    }
    case "request":
      return () => world.request();
    case "leave":
      return () => world.leave();
    case "sweep":
      return () => world.sweep();
    case "close": {
      const handoffId = lastHandoff(world);
      if (handoffId === undefined) return undefined;
      return () => world.team?.close(one.who, handoffId) ?? world.close(handoffId);
    }
    case "take":
    case "take over": {
      const [handoffId, { team }] = [lastHandoff(world), world];
      if (handoffId === undefined || team === undefined) return undefined;
      return () => (one.do === "take" ? team.take(one.who, handoffId) : team.takeOver(one.who, handoffId));
    }
    case "ask": {
      const asked = { text: `asked ${account.asked.length}`, answer: undefined as unknown };
      account.asked.push(asked);
      return async () => {
        const { outcome } = await world.callers.ask(one.mode, asked.text);
        void outcome.then((answer) => (asked.answer = answer));
      };
    }
    case "reply":
      return replyOf(one, scene);
    case "work":
      return performNext(one, scene);
  }
}

function replyOf(
  { again, who }: Extract<Action, { do: "reply" }>,
  { world, account, clock }: Scene,
): (() => Promise<unknown>) | undefined {
  const last = account.replied.at(-1);
  const handoffId = lastHandoff(world);
  if (handoffId === undefined) return undefined;
  const fresh = {
    handoffId,
    // Odd, so never of whole seconds: only then is a repeat known by its time.
    timestamp: 2 * Math.floor(clock.now() / 2) + 1,
    body: `reply ${account.replied.length}`,
  };
  const words = again && last !== undefined && world.team === undefined ? last : fresh;
  const replied = { ...words, answer: undefined as unknown };
  account.replied.push(replied);
  const say = () =>
    world.team?.reply(who, words.handoffId, words.body) ??
    world.reply(words.handoffId, words.timestamp, words.body);
  return async () => void (replied.answer = await say());
}

function performNext(
  { pick }: Extract<Action, { do: "work" }>,
  { world, clock, schedule, taken }: Scene,
): (() => Promise<unknown>) | undefined {
  const next = takeNext(world, clock, taken, pick);
  if (next === undefined) return undefined;
  taken.push(next);
  return async () => {
    try {
      await world.perform(next);
      // A worker that died when it called the engine has not said that it is done.
      if (schedule.hasDiedCalling()) throw new Crash("work");
    } catch (error) {
      // What fails is made again; of what dies the engine forgets some.
      const hasDied = schedule.isDead();
      const isForgotten = hasDied && pick % 2 === 1;
      if (!isForgotten) world.queue.push(next);
      // A commit that is not read back has failed for its worker: what it was about to write down is not.
      if (schedule.hasLostAnswer()) world.mayRepeat = true;
      // A turn that is made again looks for lanes that it woke and did not call. What others would have called is the reconciler's.
      if (isForgotten || (hasDied && !next.calls.every(({ object }) => object === "turn")))
        world.needsReconciler = true;
      throw error;
    }
  };
}

/** Never the same twice in a conversation. */
function textOf(says: Saying, number: number): string {
  return says === "hello" ? `hello${"!".repeat(number + 1)}` : `${says} ${number}`;
}

const GIVEN_TWICE = 7;

/** How many calls go to one worker together. */
export function togetherOf(pick: number): number {
  return pick < 4 ? 1 : 3;
}

/** A call with an invocation of its own waits for others of its key; those that may share one go together and wait for nobody. */
function takeNext(
  world: World,
  clock: { now(): number },
  taken: Invocation[],
  pick: number,
): Invocation | undefined {
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

import { importMutant, type Mutation } from "@signalbox/tests/support/mutant-module.ts";
import type { Action, History, Round } from "./history.ts";
import { ORIGINALS, type Rooms } from "./world.ts";

interface Mutant {
  name: string;
  /** So that a short run need not be lucky: a history that finds it out, or a seed among whose first histories one does, found by trying. */
  witness: number | History;
  room: keyof Rooms;
  mutations: Mutation[];
}

const CALM = { crash: null, engineAway: false, setsClockBack: false };
const SAY: Action = { do: "say", says: "question" };
const SAYS: Round = { ...CALM, actions: [SAY], passes: "at once" };

/** Mistakes that somebody could make, each of which some history must find out. */
export const MUTANTS: Mutant[] = [
  {
    name: "no check of the epoch",
    witness: 13,
    room: "conversations",
    mutations: [
      {
        file: "commit-replies.ts",
        find: "c.control = 'bot' and c.redacted_at is null\n        and c.epoch = a.epoch\n        and ",
        replace: "",
      },
    ],
  },
  {
    name: "control moved after the call",
    witness: 1,
    room: "handoff",
    mutations: [
      {
        file: "begin-handoff.ts",
        find: "  await takeControl(db, locked, handoff, cause.answeredSeq);\n",
        replace: "",
      },
      {
        file: "begin-handoff.ts",
        find: "async function takeControl(",
        replace: "export async function takeControl(",
      },
      {
        file: "desk-call-policies.ts",
        find: 'import { advance } from "../steps/apply-step.ts";',
        replace:
          'import { takeControl } from "../begin/begin-handoff.ts";\nimport { advance } from "../steps/apply-step.ts";',
      },
      {
        file: "desk-call-policies.ts",
        find: "  calls.push(...(await advance(",
        replace:
          '  if (event.kind === "establish_accepted") await takeControl(db, locked, handoff, 0);\n  calls.push(...(await advance(',
      },
    ],
  },
  {
    name: "timers by the wall clock",
    witness: 1,
    room: "handoff",
    mutations: [
      { file: "lock-conversation.ts", find: "at: found.at.getTime() }", replace: "at: Date.now() }" },
      { file: "lock-many.ts", find: "at: row.at.getTime(),", replace: "at: Date.now()," },
    ],
  },
  {
    name: "a clock set back that is waited for",
    witness: setBackForHours(),
    room: "handoff",
    mutations: [{ file: "timers.ts", find: "if (at < timer.setAt - SET_BACK_MS)", replace: "if (at < 0)" }],
  },
  {
    name: "a repeated reply looked for before the lock",
    witness: 14,
    room: "handoff",
    mutations: [
      {
        file: "receive-human-message.ts",
        find: "  const locked = await lockConversation(db, agentId, conversationId, handoffId);",
        replace:
          "  const known = await wasSaid(db, agentId, conversationId, replyHash);\n  const locked = await lockConversation(db, agentId, conversationId, handoffId);",
      },
      {
        file: "receive-human-message.ts",
        find: "  if (await wasSaid(db, agentId, conversationId, replyHash)) return ACKNOWLEDGED;",
        replace: "  if (known) return ACKNOWLEDGED;",
      },
    ],
  },
  {
    name: "no grace after an outage",
    witness: 1,
    room: "handoff",
    mutations: [
      {
        file: "timers.ts",
        find: "at - timer.dueAt <= LATE_MS || timer.graced",
        replace: "at - timer.dueAt <= LATE_MS || at > 0",
      },
    ],
  },
  {
    name: "held messages forgotten when the desk says yes",
    witness: 2,
    room: "handoff",
    mutations: [
      {
        file: "machine.ts",
        find: '        { do: "forward_held" },\n        { do: "notify_user", notice: "connecting" },',
        replace: '        { do: "notify_user", notice: "connecting" },',
      },
    ],
  },
  {
    name: "what waited is not answered when the desk is busy",
    witness: heldWhileTheDeskRefuses(),
    room: "handoff",
    mutations: [
      {
        file: "machine.ts",
        find: '        { do: "notify_user", notice: "busy" },\n        { do: "return_control", answerAfterSeq: marks.acknowledgedSeq },',
        replace:
          '        { do: "notify_user", notice: "busy" },\n        { do: "return_control", answerAfterSeq: "nothing" },',
      },
    ],
  },
  {
    name: "the handoff read together with the lock",
    witness: 1_000,
    room: "handoff",
    mutations: [
      {
        file: "lock-conversation.ts",
        find: "and id = ${conversationId} and redacted_at is null for update`",
        replace: "and id = ${conversationId} and redacted_at is null`",
      },
    ],
  },
  {
    name: "two workers in one conversation: what is answered is answered again",
    witness: givenToTwoWorkers(),
    room: "conversations",
    mutations: [
      {
        file: "commit-replies.ts",
        find: "\n        and c.done_seq < a.first_seq",
        replace: "",
      },
    ],
  },
  {
    name: "what a turn was made of is compared before the conversation is locked",
    witness: answeredAndHandedOver(),
    room: "conversations",
    mutations: [
      {
        file: "commit-replies.ts",
        find: "id = a.conversation_id ${forUpdate(lockedRows)}",
        replace: "id = a.conversation_id",
      },
    ],
  },
  {
    name: "two workers in one lane: a hold that nobody looks at",
    witness: calledByMany(),
    room: "delivery",
    mutations: [
      {
        file: "lane-store.ts",
        find: "and (l.held_until is null or l.held_by = a.call_id or not (${IS_HELD}))",
        replace: "",
      },
    ],
  },
  {
    name: "a batch half done is taken for done",
    witness: cutShort(2),
    room: "engine",
    mutations: [
      { file: "run-batch.ts", find: "if (isDone.includes(false))", replace: "if (calls.length < 0)" },
    ],
  },
  {
    name: "a poisoned call of a batch is not made again",
    witness: cutShort(1),
    room: "engine",
    mutations: [{ file: "run-batch.ts", find: "return retry(call, tries);", replace: "return true;" }],
  },
  {
    name: "a wake-up lost between two batches",
    witness: 7,
    room: "conversations",
    mutations: [
      {
        file: "commit-replies.ts",
        find: "c.due_seq > a.last_seq as more_due",
        replace: "false as more_due",
      },
    ],
  },
  {
    name: "a message accepted beside others that does not say what is due",
    witness: 7,
    room: "conversations",
    mutations: [
      {
        file: "accept-across-agents.ts",
        find: "turn_due_seq = excluded.turn_due_seq, turn_awake = true,",
        replace: "turn_awake = true,",
      },
    ],
  },
  {
    name: "a message accepted beside others without its conversation's lock",
    witness: saidToTwoNodes(),
    room: "conversations",
    mutations: [{ file: "accept-across-agents.ts", find: "        for update skip locked\n", replace: "" }],
  },
  {
    name: "a message accepted beside others for the agent while a person speaks",
    witness: 7,
    room: "conversations",
    mutations: [
      {
        file: "accept-across-agents.ts",
        find: "where control = 'bot' and can_answer",
        replace: "where can_answer",
      },
    ],
  },
  {
    name: "a turn made again that finds more to answer, and forgets the lane it holds",
    witness: cutShortAndGoneOn(),
    room: "conversations",
    mutations: [
      {
        file: "run-turns.ts",
        find: 'else if (lane?.is === "held" && !delivers()) deliver(lane.id);',
        replace: "",
      },
    ],
  },
  {
    name: "a turn made again that does not look for the lane it had woken",
    witness: cutShort(10, 0),
    room: "conversations",
    mutations: [
      {
        file: "run-turns.ts",
        find: "return delivers() ? undefined : drainUndrained(parts, work);",
        replace: "return;",
      },
    ],
  },
];

export async function roomsOf({ room, mutations }: Mutant): Promise<Rooms> {
  const url = new URL(`../../packages/server/src/${room}/index.ts`, import.meta.url).href;
  return { ...ORIGINALS, [room]: await importMutant<never>(url, mutations) };
}

/** The clock goes back for longer than anybody waits until everything has come to rest. */
function setBackForHours(): History {
  const request: Round = { ...CALM, actions: [{ do: "request" }], passes: "at once" };
  const established: Round = { ...CALM, actions: [{ do: "work", pick: 0 }], passes: "at once" };
  const setBack: Round = { ...CALM, actions: [{ do: "sweep" }], passes: "at once", setsClockBack: true };
  return { rounds: [request, established, setBack, setBack, setBack], deskRefuses: false, seed: 1 };
}

/** Two nodes are told something at the same moment, more than once. */
function saidToTwoNodes(): History {
  const both: Round = { ...SAYS, actions: [SAY, SAY] };
  return { rounds: [both, both, both], deskRefuses: false, seed: 1 };
}

/** A person is asked for while a worker is at the answer to a greeting. */
function answeredAndHandedOver(): History {
  const greets: Round = { ...SAYS, actions: [{ do: "say", says: "hello" }] };
  const both: Round = { ...CALM, actions: [{ do: "work", pick: 0 }, { do: "request" }], passes: "at once" };
  return { rounds: [greets, both], deskRefuses: false, seed: 1 };
}

/** A turn goes to a second worker while the first, which seemed silent, is still at it. */
function givenToTwoWorkers(): History {
  const twice: Round = {
    ...CALM,
    actions: [7, 0].map((pick) => ({ do: "work", pick })),
    passes: "at once",
  };
  return { rounds: [SAYS, twice], deskRefuses: false, seed: 1 };
}

/** The desk's lane is called again and again by the reconciler, because nobody came for long, and then all calls come at once. */
function calledByMany(): History {
  const request: Round = { ...CALM, actions: [{ do: "request" }], passes: "an outage" };
  const sweep: Round = { ...CALM, actions: [{ do: "sweep" }], passes: "an outage" };
  const all: Round = {
    ...CALM,
    actions: [0, 0, 0, 0].map((pick) => ({ do: "work", pick })),
    passes: "at once",
  };
  return { rounds: [request, sweep, sweep, sweep, all], deskRefuses: false, seed: 3 };
}

/** The worker of a turn dies at a step, or the step fails if its number is odd. */
function cutShort(step: number, pick = 4): History {
  const work: Round = {
    ...CALM,
    crash: { action: 0, step },
    actions: [{ do: "work", pick }],
    passes: "at once",
  };
  return { rounds: [SAYS, work], deskRefuses: false, seed: 1 };
}

/** The worker of a turn dies with its reply on the way; before the engine calls again the user says something more. */
function cutShortAndGoneOn(): History {
  const { rounds, ...rest } = cutShort(10, 0);
  return { ...rest, rounds: [...rounds, SAYS] };
}

/** A person is asked for, the user says something more, and the desk says no to every try. */
function heldWhileTheDeskRefuses(): History {
  const tries: Round = {
    ...CALM,
    actions: [0, 1, 2].map((pick) => ({ do: "work", pick })),
    passes: "a moment",
  };
  return {
    rounds: [
      { ...CALM, actions: [{ do: "request" }], passes: "at once" },
      SAYS,
      ...Array.from({ length: 20 }, () => tries),
    ],
    deskRefuses: true,
    seed: 1,
  };
}

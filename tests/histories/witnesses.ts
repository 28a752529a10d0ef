import type { Action, History, Round } from "./drawn-history.ts";

const CALM = { crash: null, answerLost: null, engineAway: false, setsClockBack: false, erases: false };
const SAY = { do: "say", says: "question", beside: 0 } as const satisfies Action;
const SAYS: Round = { ...CALM, actions: [SAY], passes: "at once" };

/** The clock goes back for longer than anybody waits until everything has come to rest. */
export function setBackForHours(): History {
  const request: Round = { ...CALM, actions: [{ do: "request" }], passes: "at once" };
  const established: Round = { ...CALM, actions: [{ do: "work", pick: 0 }], passes: "at once" };
  const setBack: Round = { ...CALM, actions: [{ do: "sweep" }], passes: "at once", setsClockBack: true };
  return {
    rounds: [request, established, setBack, setBack, setBack],
    deskRefuses: false,
    atInbox: false,
    seed: 1,
  };
}

/** The desk has answered a call when the commit of that answer is not confirmed, and the next call is on its way. */
export function deskAnsweredWithoutAnswer(): History {
  const request: Round = { ...CALM, actions: [{ do: "request" }], passes: "at once" };
  const leave: Round = { ...CALM, actions: [{ do: "leave" }], passes: "at once" };
  const work: Round = {
    ...CALM,
    actions: [{ do: "work", pick: 0 }],
    answerLost: { action: 0, step: 8 },
    passes: "at once",
  };
  return { rounds: [request, leave, work], deskRefuses: false, atInbox: false, seed: 1 };
}

/** Three conversations say something in one commit, whose answer is lost. */
export function saysWithoutAnswer(): History {
  const says: Round = { ...SAYS, actions: [{ ...SAY, beside: 2 }], answerLost: { action: 0, step: 1 } };
  return { rounds: [says, says], deskRefuses: false, atInbox: false, seed: 1 };
}

/** Two nodes are told something at the same moment, more than once. */
export function saidToTwoNodes(): History {
  const both: Round = { ...SAYS, actions: [SAY, SAY] };
  return { rounds: [both, both, both], deskRefuses: false, atInbox: false, seed: 1 };
}

/** A person is asked for while a worker is at the answer to a greeting. */
export function answeredAndHandedOver(): History {
  const greets: Round = { ...SAYS, actions: [{ do: "say", says: "hello", beside: 0 }] };
  const both: Round = { ...CALM, actions: [{ do: "work", pick: 0 }, { do: "request" }], passes: "at once" };
  return { rounds: [greets, both], deskRefuses: false, atInbox: false, seed: 1 };
}

/** A turn goes to a second worker while the first, which seemed silent, is still at it. */
export function givenToTwoWorkers(): History {
  const twice: Round = {
    ...CALM,
    actions: [7, 0].map((pick) => ({ do: "work", pick })),
    passes: "at once",
  };
  return { rounds: [SAYS, twice], deskRefuses: false, atInbox: false, seed: 1 };
}

/** The desk's lane is called again and again by the reconciler, because nobody came for long, and then all calls come at once. */
export function calledByMany(): History {
  const request: Round = { ...CALM, actions: [{ do: "request" }], passes: "an outage" };
  const sweep: Round = { ...CALM, actions: [{ do: "sweep" }], passes: "an outage" };
  const all: Round = {
    ...CALM,
    actions: [0, 0, 0, 0].map((pick) => ({ do: "work", pick })),
    passes: "at once",
  };
  return { rounds: [request, sweep, sweep, sweep, all], deskRefuses: false, atInbox: false, seed: 3 };
}

/** The worker of a turn dies at a step, or the step fails if its number is odd. */
export function cutShort(step: number, pick = 4): History {
  const work: Round = {
    ...CALM,
    crash: { action: 0, step },
    actions: [{ do: "work", pick }],
    passes: "at once",
  };
  return { rounds: [SAYS, work], deskRefuses: false, atInbox: false, seed: 1 };
}

/** The worker of a turn dies with its reply on the way; before the engine calls again the user says something more. */
export function cutShortAndGoneOn(): History {
  const { rounds, ...rest } = cutShort(10, 0);
  return { ...rest, rounds: [...rounds, SAYS] };
}

/** A person is asked for, the user says something more, and the desk says no to every try. */
export function heldWhileTheDeskRefuses(): History {
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
    atInbox: false,
    seed: 1,
  };
}

/** A reply is streamed when a person is asked for, and its model goes on. */
export function streamedWhileHandedOver(): History {
  const asks: Round = { ...CALM, actions: [{ do: "ask", mode: "streaming" }], passes: "at once" };
  const request: Round = { ...CALM, actions: [{ do: "request" }], passes: "at once" };
  const sweep: Round = { ...CALM, actions: [{ do: "sweep" }], passes: "at once" };
  return { rounds: [asks, request, sweep], deskRefuses: false, atInbox: false, seed: 1 };
}

/** One human replies in the inbox while another takes the chat over. */
export function repliedWhileTakenOver(): History {
  const request: Round = { ...CALM, actions: [{ do: "request" }], passes: "at once" };
  const works: Round = { ...CALM, actions: [{ do: "work", pick: 0 }], passes: "at once" };
  const takes: Round = { ...CALM, actions: [{ do: "take", who: 0 }], passes: "at once" };
  const both: Round = {
    ...CALM,
    actions: [
      { do: "reply", again: false, who: 0 },
      { do: "take over", who: 1 },
    ],
    passes: "at once",
  };
  return { rounds: [request, works, takes, both], deskRefuses: false, atInbox: true, seed: 1 };
}

/** A desk sends the same reply twice at the same moment. */
export function repliedTwiceAtOnce(): History {
  const request: Round = { ...CALM, actions: [{ do: "request" }], passes: "at once" };
  const works: Round = { ...CALM, actions: [{ do: "work", pick: 0 }], passes: "at once" };
  const both: Round = {
    ...CALM,
    actions: [
      { do: "reply", again: false, who: 0 },
      { do: "reply", again: true, who: 0 },
    ],
    passes: "at once",
  };
  return { rounds: [request, works, both], deskRefuses: false, atInbox: false, seed: 1 };
}

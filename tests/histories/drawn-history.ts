import fc from "fast-check";

/** A greeting is answered with fewer statements than a question, and at once. */
const SAYINGS = ["question", "hello", "human please"] as const;
export type Saying = (typeof SAYINGS)[number];

export type Action =
  /** `beside`: in how many other conversations the same is said at the same moment, in one commit. */
  | { do: "say"; says: Saying; beside: number }
  /** In a mode in which the caller waits for the reply, which takes several rounds. */
  | { do: "ask"; mode: "blocking" | "streaming" }
  | { do: "request" | "leave" | "sweep" }
  /** An action on a chat in the inbox; `who`: one of two humans. */
  | { do: "take" | "take over" | "close"; who: Who }
  /** `again`: the human's last reply once more, word for word; not in the inbox, where that is another reply. */
  | { do: "reply"; again: boolean; who: Who }
  /** Something the engine was asked for, if there is any; `pick` says which, and how many calls go to one worker together. */
  | { do: "work"; pick: number };

/** One of the two humans who answer. */
export type Who = 0 | 1;

/** What happens at the same moment, and how much time passes before the next. */
export interface Round {
  actions: Action[];
  /** Which of the actions dies, and before which of its steps; of calls that go together one may fail instead. */
  crash: { action: number; step: number } | null;
  /** Which of the actions is not told of a commit, from which of its steps on. It lives, and the commit stands. */
  answerLost: { action: number; step: number } | null;
  engineAway: boolean;
  passes: "at once" | "a moment" | "until the timer warns" | "until the timer is due" | "an outage";
  /** The database's clock only; the engine has its own. */
  setsClockBack: boolean;
  /** The user is forgotten, while all of this happens. */
  erases: boolean;
}

export interface History {
  rounds: Round[];
  /** Every request for a person, until everybody is well again. */
  deskRefuses: boolean;
  /** Humans answer in the inbox, and not at a desk of the developer. */
  atInbox: boolean;
  seed: number;
}

/** Other conversations of the same agent. */
export const NEIGHBOURS = 2;

const who = fc.constantFrom<Who>(0, 1);

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("say" as const),
      says: fc.constantFrom(...SAYINGS),
      beside: fc.nat(NEIGHBOURS),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("work" as const), pick: fc.nat(7) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("reply" as const), again: fc.boolean(), who }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("ask" as const),
      mode: fc.constantFrom("blocking" as const, "streaming" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("take" as const, "take over" as const), who }) },
  { weight: 2, arbitrary: fc.constant({ do: "request" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "leave" as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("close" as const), who }) },
  { weight: 1, arbitrary: fc.constant({ do: "sweep" as const }) },
);

const round: fc.Arbitrary<Round> = fc.record({
  actions: fc.array(action, { minLength: 1, maxLength: 4 }),
  crash: fc.option(fc.record({ action: fc.nat(3), step: fc.integer({ min: 1, max: 14 }) }), { freq: 5 }),
  answerLost: fc.option(fc.record({ action: fc.nat(3), step: fc.integer({ min: 1, max: 14 }) }), { freq: 5 }),
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
  erases: fc.nat(59).map((chance) => chance === 0),
});

export const history: fc.Arbitrary<History> = fc.record({
  rounds: fc.array(round, { minLength: 3, maxLength: 12 }),
  deskRefuses: fc.nat(4).map((chance) => chance === 0),
  atInbox: fc.nat(2).map((chance) => chance === 0),
  seed: fc.nat(),
});

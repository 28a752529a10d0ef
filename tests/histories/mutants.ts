import { importMutant, type Mutation } from "@signalbox/tests/support/mutant-module.ts";
import type { History, Round } from "./history.ts";
import { ORIGINALS, type Rooms } from "./world.ts";

interface Mutant {
  name: string;
  /** So that a short run need not be lucky: a seed whose first histories find it out, found by trying, or one that does. */
  witness: number | History;
  room: keyof Rooms;
  mutations: Mutation[];
}

/** Mistakes that somebody could make, each of which some history must find out. */
export const MUTANTS: Mutant[] = [
  {
    name: "no check of the epoch",
    witness: 13,
    room: "conversations",
    mutations: [
      {
        file: "turn-store.ts",
        find: " and c.control = 'bot'\n        and c.epoch = a.epoch[array_position(a.ids, c.id)]",
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
        file: "settle-call.ts",
        find: 'import { advance } from "../steps/apply-step.ts";',
        replace:
          'import { takeControl } from "../begin/begin-handoff.ts";\nimport { advance } from "../steps/apply-step.ts";',
      },
      {
        file: "settle-call.ts",
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
    ],
  },
  {
    name: "a clock set back that is waited for",
    witness: 113,
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
];

export async function roomsOf({ room, mutations }: Mutant): Promise<Rooms> {
  const url = new URL(`../../packages/server/src/${room}/index.ts`, import.meta.url).href;
  return { ...ORIGINALS, [room]: await importMutant<never>(url, mutations) };
}

/** A person is asked for, the user says something more, and the desk says no to every try. */
function heldWhileTheDeskRefuses(): History {
  const calm = { crash: null, engineAway: false, setsClockBack: false };
  const tries: Round = {
    ...calm,
    actions: [0, 1, 2].map((pick) => ({ do: "work", pick })),
    passes: "a moment",
  };
  return {
    rounds: [
      { ...calm, actions: [{ do: "request" }], passes: "at once" },
      { ...calm, actions: [{ do: "say", wantsHuman: false }], passes: "at once" },
      ...Array.from({ length: 20 }, () => tries),
    ],
    deskRefuses: true,
    seed: 1,
  };
}

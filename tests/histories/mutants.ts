import { importMutant, type Mutation } from "@signalbox/tests/support/mutant-module.ts";
import type { History } from "./drawn-history.ts";
import {
  answeredAndHandedOver,
  calledByMany,
  cutShort,
  cutShortAndGoneOn,
  deskAnsweredWithoutAnswer,
  givenToTwoWorkers,
  heldWhileTheDeskRefuses,
  repliedTwiceAtOnce,
  repliedWhileTakenOver,
  saidToTwoNodes,
  saysWithoutAnswer,
  setBackForHours,
  streamedWhileHandedOver,
} from "./witnesses.ts";
import { ORIGINALS, type Rooms } from "./world-parts.ts";

interface Mutant {
  name: string;
  /** So that a short run need not be lucky: a history that finds it out, or a seed among whose first histories one does, found by trying. */
  witness: number | History;
  room: keyof Rooms;
  mutations: Mutation[];
}

/** Mistakes that somebody could make, each of which some history must find out. */
export const MUTANTS: Mutant[] = [
  {
    name: "no check of the epoch",
    witness: 1,
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
    witness: repliedTwiceAtOnce(),
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
    name: "a desk is called again after a commit without an answer",
    witness: deskAnsweredWithoutAnswer(),
    room: "handoff",
    mutations: [
      {
        file: "desk-call-policies.ts",
        find: 'outcomeOf(error) === "unknown" ? await findSettled(db, [settlement]) : []',
        replace: "[]",
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
    witness: 1,
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
    witness: 1,
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
    witness: 1,
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
    witness: 1,
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
    witness: 1,
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
  {
    name: "a message whose commit was not answered, and that is taken for lost",
    witness: saysWithoutAnswer(),
    room: "conversations",
    mutations: [
      {
        file: "find-accepted.ts",
        find: "return messages.map(({ id }) => found.get(id));",
        replace: "return messages.map(({ id }) => (found.has(id) ? undefined : undefined));",
      },
    ],
  },
  {
    name: "an answer that goes on after control moved",
    witness: streamedWhileHandedOver(),
    room: "conversations",
    mutations: [
      {
        file: "answer-caller.ts",
        find: "  using followed = parts.control.follow(turn);\n  const { moved } = followed;",
        replace: "  const moved = new AbortController().signal;",
      },
    ],
  },
  {
    name: "a reply in the inbox that looks for its holder in a transaction of its own",
    witness: repliedWhileTakenOver(),
    room: "inbox",
    mutations: [
      {
        file: "answer-talk.ts",
        find: "import { refuse, Refusal, type Database,",
        replace: "import { inTransaction, refuse, Refusal, type Database,",
      },
      {
        file: "answer-talk.ts",
        find: "const holdChat = (db: Database) => prepareReply(db, caller, path);",
        replace: "const holdChat = (_: Database) => Promise.resolve(undefined);",
      },
      {
        file: "answer-talk.ts",
        find: "  if ((await readHolder(parts.db, path)) === undefined) return noTalk();\n  const result",
        replace:
          "  const held = await inTransaction(parts.db, (db) => prepareReply(db, caller, path));\n  if (held !== undefined) return held;\n  const result",
      },
    ],
  },
];

export async function roomsOf({ room, mutations }: Mutant): Promise<Rooms> {
  const url = new URL(`../../packages/server/src/${room}/index.ts`, import.meta.url).href;
  return { ...ORIGINALS, [room]: await importMutant<never>(url, mutations) };
}

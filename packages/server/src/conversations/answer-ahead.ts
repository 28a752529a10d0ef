import type { OpenAnswering } from "../answering/index.ts";
import { callersTurn, type AskedMessage, type CallersTurnRow } from "./callers-turn-store.ts";
import { makeAnswer, type Aloud, type MakeAnswerParts, type MadeAnswer } from "./make-answer.ts";
import type { Refusal } from "../platform/index.ts";
import type { Turn } from "./turn-store.ts";

/** Who follows the reply while it comes about. */
export interface Following extends Aloud {
  /** The caller has left: nobody waits for more. */
  left: AbortSignal;
}

/** Undefined: what is said is heard by nobody until it is whole. `stop` calls the model off. */
export interface AnswerListener {
  aloud: Aloud | undefined;
  stop: AbortSignal;
}

/** A turn that was opened with the accept, and its answer, which is being made. */
export interface BegunTurn {
  turn: Turn;
  answer: (listener: AnswerListener) => Promise<MadeAnswer | Refusal>;
}

export interface AnswerAhead {
  /** The statement that accepts the message has opened its turn; the commit is under way. */
  begin: (seq: number, row: CallersTurnRow) => void;
  /** The message is committed, with this turn or none. */
  commit: (row: CallersTurnRow | undefined) => BegunTurn | undefined;
  /** It was not accepted: the model is called off, and nothing was told or stored. */
  cancel: () => void;
}

export interface AheadQuestion {
  asked: Omit<AskedMessage, "seq">;
  /** What the agent answers with, which is being read. */
  opening: ReturnType<OpenAnswering>;
  isStreamed: boolean;
}

/**
 * The model is asked while the accept of the message waits for the disk (ADR 0039). What it says is held back, and nothing is
 * stored, until the accept has committed.
 */
export function openAnswerAhead(
  parts: MakeAnswerParts,
  { asked, opening, isStreamed }: AheadQuestion,
): AnswerAhead {
  let ahead: ReturnType<typeof beginAhead> | undefined;
  // A message that is refused has no turn to await it.
  opening.catch(() => undefined);
  return {
    begin(seq, row) {
      // A statement that was repeated, because its commit failed, has opened another turn.
      ahead?.cancel();
      ahead = beginAhead(parts, callersTurn({ ...asked, seq }, row), opening, isStreamed);
    },
    commit(row) {
      if (row !== undefined && row.turn_id === ahead?.turn.id) return ahead.commit();
      ahead?.cancel();
      return undefined;
    },
    cancel: () => ahead?.cancel(),
  };
}

function beginAhead(
  parts: MakeAnswerParts,
  turn: Turn,
  opening: ReturnType<OpenAnswering>,
  isStreamed: boolean,
) {
  const calledOff = new AbortController();
  const committing = Promise.withResolvers<void>();
  const held = holdBack();
  const making = makeAnswer(parts, turn, opening, {
    aloud: isStreamed ? held.aloud : undefined,
    signal: calledOff.signal,
    committed: committing.promise,
  });
  // The caller awaits both; for a message that is not accepted nobody does.
  committing.promise.catch(() => undefined);
  making.catch(() => undefined);
  const callOff = () => calledOff.abort();
  return {
    turn,
    cancel() {
      committing.reject(new Error("the message was not accepted"));
      callOff();
    },
    commit(): BegunTurn {
      committing.resolve();
      const answer = ({ aloud, stop }: AnswerListener) => {
        stop.addEventListener("abort", callOff, { once: true });
        if (stop.aborted) callOff();
        if (aloud !== undefined) held.release(aloud);
        return making;
      };
      return { turn, answer };
    },
  };
}

/** Keeps what is said until somebody may hear it. */
function holdBack(): { aloud: Aloud; release: (to: Aloud) => void } {
  const kept: ((to: Aloud) => void)[] = [];
  let listener: Aloud | undefined;
  const tell = (what: (to: Aloud) => void) => {
    if (listener === undefined) kept.push(what);
    else what(listener);
  };
  return {
    aloud: {
      begun: (messageId) => tell((to) => to.begun(messageId)),
      said: (text) => tell((to) => to.said(text)),
    },
    release(to) {
      listener = to;
      for (const what of kept.splice(0)) what(to);
    },
  };
}

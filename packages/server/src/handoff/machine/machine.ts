import type { HandoffReason, NoticeName } from "@signalbox/contract";
import { lookAt, startTimer, type Timer, type TimerKind, type TimerLengths } from "./timers.ts";

/**
 * The state machine of a handoff: pure, without I/O. The caller holds the conversation's row lock, hands in
 * what it read under it, and writes what comes out in the same transaction (rule 1 of docs/explanation/architecture.md).
 */
export type Handoff = Requested | Connecting | Active | Ended;

/** How far the desk is: sequence numbers of the conversation's messages. */
export interface Marks {
  /** The last user message enqueued for the desk (4.7). Messages above it are held. */
  readonly forwardedSeq: number;
  /** The last user message the desk answered with 200. */
  readonly acknowledgedSeq: number;
  /** The human's last reply. Messages before it wait for no other. */
  readonly repliedSeq: number;
}

/** The desk was called (4.6) and has not answered. The agent is silent; messages of the user are held. */
export interface Requested {
  readonly state: "requested";
  readonly marks: Marks;
}

/** The desk said 200; no human has written yet. */
export interface Connecting {
  readonly state: "connecting";
  readonly marks: Marks;
  readonly timer: Timer;
}

/** A human has written. One timer runs: for the human or for the user, whose turn it is. */
export interface Active {
  readonly state: "active";
  readonly marks: Marks;
  readonly timer: Timer;
}

export interface Ended {
  readonly state: "busy" | "closed";
  readonly reason: EndReason;
}

/** `refused` is the reason of `busy` and of nothing else; the three timers are reasons under their own names. */
export type EndReason = HandoffReason;

export type HandoffEvent =
  /** 4.6 was answered with 200. */
  | { kind: "establish_accepted"; at: number }
  /** 4.6 was given up. `uncertain`: an attempt may have arrived, its answer did not. */
  | { kind: "establish_refused"; at: number; uncertain: boolean }
  | { kind: "user_wrote"; at: number }
  /** 4.7 was answered with 200; `seq` is the user's message. */
  | { kind: "chat_delivered"; at: number; seq: number }
  | { kind: "chat_given_up"; at: number }
  /** 4.9; `seq` is the number the human's message gets. */
  | { kind: "human_replied"; at: number; seq: number }
  /** 4.10. */
  | { kind: "human_closed"; at: number }
  | { kind: "user_closed"; at: number }
  /** The desk or its agent was deleted. */
  | { kind: "desk_removed"; at: number }
  /** The message webhook was deleted: on the API nothing a human writes reaches the user any more. */
  | { kind: "webhook_removed"; at: number }
  /** Somebody looks at the timer. */
  | { kind: "looked"; at: number };

/** The other two are said where no handoff begins. */
export type Notice = Exclude<NoticeName, "away" | "message_left">;

/** What the transaction writes besides the handoff itself, in this order. */
export type Effect =
  /** 4.7 for every user message that is held. */
  | { do: "forward_held" }
  /** 4.8, behind everything that was sent before it. */
  | { do: "close_desk"; type: "TIMEOUT" | "USER_CLOSED" }
  | { do: "notify_user"; notice: Notice }
  /** The agent has control again, in a new epoch. It answers what the desk has not acknowledged, unless the user left. */
  | { do: "return_control"; answerAfterSeq: number | "nothing" };

export type Step =
  | { kind: "moved"; handoff: Handoff; effects: readonly Effect[] }
  /** It makes no difference any more, or not yet. */
  | { kind: "nothing" }
  /** Rule 4.9: a handoff that has ended takes no human message. */
  | { kind: "refused" };

const NOTHING: Step = { kind: "nothing" };

/** Control has moved before the desk is called; everything said up to `lastSeq` goes with the call. */
export function begin(lastSeq: number): Requested {
  return { state: "requested", marks: { forwardedSeq: lastSeq, acknowledgedSeq: 0, repliedSeq: 0 } };
}

export function isOpen(handoff: Handoff): handoff is Requested | Connecting | Active {
  return handoff.state !== "busy" && handoff.state !== "closed";
}

/** Leaving out a state or an event does not compile. */
export function transition(handoff: Handoff, event: HandoffEvent, lengths: TimerLengths): Step {
  switch (handoff.state) {
    case "requested":
      return fromRequested(handoff, event, lengths);
    case "connecting":
      return fromConnecting(handoff, event, lengths);
    case "active":
      return fromActive(handoff, event, lengths);
    case "busy":
    case "closed":
      return event.kind === "human_replied" ? { kind: "refused" } : NOTHING;
  }
}

function fromRequested(handoff: Requested, event: HandoffEvent, lengths: TimerLengths): Step {
  const { marks } = handoff;
  switch (event.kind) {
    case "establish_accepted":
      return moved(
        {
          state: "connecting",
          marks: acknowledge(marks, marks.forwardedSeq),
          timer: startTimer("first_reply", event.at, lengths),
        },
        { do: "forward_held" },
        { do: "notify_user", notice: "connecting" },
      );
    case "establish_refused":
      return moved(
        { state: "busy", reason: "refused" },
        // Rule 11: a desk that may have accepted is sent a close (4.8).
        ...(event.uncertain ? [closeDesk("TIMEOUT")] : []),
        { do: "notify_user", notice: "busy" },
        { do: "return_control", answerAfterSeq: marks.acknowledgedSeq },
      );
    // A reply is proof that the desk has the request, whatever becomes of the answer to it.
    case "human_replied":
      return moved(replied(acknowledge(marks, marks.forwardedSeq), event, lengths), { do: "forward_held" });
    case "human_closed":
      return closedByHuman(acknowledge(marks, marks.forwardedSeq));
    case "user_closed":
      return closedByUser();
    case "desk_removed":
    case "webhook_removed":
      return connectionLost(marks, event.kind);
    // What the user writes is held, and no chat is sent before the desk has answered.
    case "user_wrote":
    case "chat_delivered":
    case "chat_given_up":
    case "looked":
      return NOTHING;
  }
}

function fromConnecting(handoff: Connecting, event: HandoffEvent, lengths: TimerLengths): Step {
  const { marks } = handoff;
  switch (event.kind) {
    case "user_wrote":
      return moved(handoff, { do: "forward_held" });
    case "chat_delivered":
      return moved({ ...handoff, marks: acknowledge(marks, event.seq) });
    case "human_replied":
      return moved(replied(marks, event, lengths));
    case "human_closed":
    case "user_closed":
    case "chat_given_up":
    case "desk_removed":
    case "webhook_removed":
    case "looked":
      return fromEstablished(handoff, event, lengths);
    case "establish_accepted":
    case "establish_refused":
      return NOTHING;
  }
}

function fromActive(handoff: Active, event: HandoffEvent, lengths: TimerLengths): Step {
  const { marks, timer } = handoff;
  switch (event.kind) {
    case "user_wrote":
      // Until it is delivered the user's own silence counts, so that a desk out of reach holds nobody for ever.
      return moved(
        timer.kind === "human_idle"
          ? handoff
          : { ...handoff, timer: startTimer("user_idle", event.at, lengths) },
        { do: "forward_held" },
      );
    case "chat_delivered": {
      // Rule 10: the human's time runs from the delivery, and from the first message that has no reply.
      const waits = event.seq > marks.repliedSeq && timer.kind !== "human_idle";
      return moved({
        ...handoff,
        marks: acknowledge(marks, event.seq),
        timer: waits ? startTimer("human_idle", event.at, lengths) : timer,
      });
    }
    case "human_replied":
      return moved(replied(marks, event, lengths));
    case "human_closed":
    case "user_closed":
    case "chat_given_up":
    case "desk_removed":
    case "webhook_removed":
    case "looked":
      return fromEstablished(handoff, event, lengths);
    // The reply came first; the answer to the call itself says nothing new.
    case "establish_accepted":
    case "establish_refused":
      return NOTHING;
  }
}

type EndingEvent = Extract<
  HandoffEvent,
  { kind: "human_closed" | "user_closed" | "chat_given_up" | "desk_removed" | "webhook_removed" | "looked" }
>;

/** How a handoff ends is the same before and after the first reply. */
function fromEstablished(handoff: Connecting | Active, event: EndingEvent, lengths: TimerLengths): Step {
  switch (event.kind) {
    case "human_closed":
      return closedByHuman(handoff.marks);
    case "user_closed":
      return closedByUser();
    case "chat_given_up":
      return connectionLost(handoff.marks, "desk_lost");
    case "desk_removed":
    case "webhook_removed":
      return connectionLost(handoff.marks, event.kind);
    case "looked":
      return looked(handoff, event.at, lengths);
  }
}

const TIMED_OUT = {
  first_reply: "first_reply_timeout",
  human_idle: "human_idle_timeout",
  user_idle: "user_idle_timeout",
} as const satisfies Record<TimerKind, Notice>;

const WARNING = {
  first_reply: "first_reply_warning",
  human_idle: "human_idle_warning",
  user_idle: "user_idle_warning",
} as const satisfies Record<TimerKind, Notice>;

function looked(handoff: Connecting | Active, at: number, lengths: TimerLengths): Step {
  const { marks, timer } = handoff;
  const look = lookAt(timer, at, lengths);
  switch (look.found) {
    case "nothing":
      return NOTHING;
    case "warning":
      return moved({ ...handoff, timer: look.timer }, { do: "notify_user", notice: WARNING[timer.kind] });
    case "late":
    case "clock_set_back":
      return moved({ ...handoff, timer: look.timer });
    case "due":
      return moved(
        { state: "closed", reason: timer.kind },
        closeDesk("TIMEOUT"),
        { do: "notify_user", notice: TIMED_OUT[timer.kind] },
        { do: "return_control", answerAfterSeq: marks.acknowledgedSeq },
      );
  }
}

function replied(marks: Marks, { at, seq }: { at: number; seq: number }, lengths: TimerLengths): Active {
  return {
    state: "active",
    marks: { ...marks, repliedSeq: seq },
    timer: startTimer("user_idle", at, lengths),
  };
}

/** Rule 4.8: not sent after a human closed; the human knows. */
function closedByHuman(marks: Marks): Step {
  return moved(
    { state: "closed", reason: "human_closed" },
    { do: "notify_user", notice: "human_closed" },
    { do: "return_control", answerAfterSeq: marks.acknowledgedSeq },
  );
}

/** Also while the desk has not answered: the close goes behind the call, which may arrive. */
function closedByUser(): Step {
  return moved(
    { state: "closed", reason: "user_closed" },
    closeDesk("USER_CLOSED"),
    { do: "notify_user", notice: "user_closed" },
    { do: "return_control", answerAfterSeq: "nothing" },
  );
}

/** A deleted desk is sent nothing. Any other is sent a close, also one that is down, for when it comes back. */
function connectionLost(marks: Marks, reason: "desk_lost" | "desk_removed" | "webhook_removed"): Step {
  return moved(
    { state: "closed", reason },
    ...(reason === "desk_removed" ? [] : [closeDesk("TIMEOUT")]),
    { do: "notify_user", notice: "desk_lost" },
    { do: "return_control", answerAfterSeq: marks.acknowledgedSeq },
  );
}

function acknowledge(marks: Marks, seq: number): Marks {
  return { ...marks, acknowledgedSeq: Math.max(marks.acknowledgedSeq, seq) };
}

function closeDesk(type: "TIMEOUT" | "USER_CLOSED"): Effect {
  return { do: "close_desk", type };
}

function moved(handoff: Handoff, ...effects: Effect[]): Step {
  return { kind: "moved", handoff, effects };
}

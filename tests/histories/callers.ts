import { zeroUsage, type BlockingReply } from "@signalbox/contract";
import { senderOf, textOf, viewsOfEvent, type StreamedEvent } from "@signalbox/tests/support/reply-views.ts";
import type { Answerer, OpenAnswering } from "../../packages/server/src/answering/index.ts";
import type { createTurnEnds } from "../../packages/server/src/conversations/index.ts";
import { EventStream, HeadedReply, Refusal } from "../../packages/server/src/platform/index.ts";
import { aMoment, type Clients } from "./clients.ts";
import { Fault } from "./schedule.ts";

type TurnEnds = ReturnType<typeof createTurnEnds>;
export type Mode = "blocking" | "streaming";

/** Those who wait for their reply, or hear it piece by piece. A reply takes longer than a round. */
export interface Callers {
  /** Until the model has been asked, the message waits for those before it, or the call is over. Gives its outcome once it has one. */
  ask(mode: Mode, text: string): Promise<{ outcome: Promise<unknown> }>;
  /** Each that is open: its model says one more piece, and after the last piece its reply is stored. */
  goingOn(): (() => Promise<void>)[];
  /** Models say all that they have to say, and every call comes to rest. */
  goOn(): Promise<void>;
  /** Every call waits for its model or for messages before it. */
  rest(): Promise<void>;
  areOpen(): boolean;
}

interface CallerParts {
  clients: Clients;
  turnEnds: TurnEnds;
  conversationId: string;
  send: (mode: Mode, text: string, node: CallersNode) => Promise<unknown>;
  onSurprise: (error: unknown) => void;
}

/** What the node that answers does through somebody else. */
export interface CallersNode {
  openAnswering: OpenAnswering;
  turnEnds: TurnEnds;
}

const PIECES = ["It ", "takes ", "two ", "years."];
/** What nobody but a caller of these modes is answered. */
export const MODEL_ANSWER = PIECES.join("");
/** A machine that others use as well may take so long for a step. */
const REST_MAX_MS = 20_000;

interface OpenCall extends CallersNode {
  isOver: boolean;
  isResting(): boolean;
  sayMore(pieces: number): void;
}

export function openCallers({ clients, turnEnds, conversationId, send, onSurprise }: CallerParts): Callers {
  let open: OpenCall[] = [];
  let calls = 0;

  async function restOf(call: OpenCall): Promise<void> {
    const since = performance.now();
    do await aMoment();
    while (!call.isResting() && performance.now() - since < REST_MAX_MS);
    if (!call.isResting()) throw new Error("a call neither ends nor waits");
  }

  const rest = async () => void (await Promise.all(open.map(restOf)));

  return {
    async ask(mode, text) {
      const model = openModel(turnEnds);
      const call: OpenCall = { ...model, isOver: false, isResting: () => call.isOver || model.isResting() };
      open.push(call);
      const id = `${mode} ${++calls}`;
      const outcome = send(mode, text, call)
        .then((reply) => receive(clients, mode, id, reply))
        .catch((error: unknown) => {
          clients.note(`${mode} caller`, { saw: "end", call: id, as: "cut off" });
          if (!(error instanceof Fault)) onSurprise(error);
          return error;
        })
        .finally(() => {
          call.isOver = true;
          open = open.filter((one) => one !== call);
        });
      await restOf(call);
      return { outcome };
    },
    goingOn: () =>
      open.map((call) => async () => {
        call.sayMore(1);
        await restOf(call);
      }),
    async goOn() {
      for (const call of open) call.sayMore(PIECES.length);
      turnEnds.tell(conversationId);
      await rest();
    },
    async rest() {
      // Callers who wait for the messages before theirs look again.
      turnEnds.tell(conversationId);
      await rest();
    },
    areOpen: () => open.length > 0,
  };
}

/** The end of a call: the whole reply, a refusal, or why it broke off. */
async function receive(clients: Clients, mode: Mode, call: string, reply: unknown): Promise<unknown> {
  const client = `${mode} caller`;
  if (reply instanceof EventStream) {
    let messageId = "";
    let last: StreamedEvent | undefined;
    for await (const frames of reply.open(new AbortController().signal)) {
      for (const frame of frames.split("\n\n")) {
        if (frame === "") continue;
        last = JSON.parse(frame.slice("data: ".length)) as StreamedEvent;
        for (const noted of viewsOfEvent(last, call, messageId)) clients.note(client, noted);
        if (last.message === "MessageInfo") ({ message_id: messageId } = last.data as { message_id: string });
      }
    }
    return last;
  }
  if (reply instanceof Refusal || reply instanceof Error) {
    clients.note(client, { saw: "end", call, as: "failed" });
    return reply;
  }
  const { message_id: messageId, output } = (
    reply instanceof HeadedReply ? reply.body : reply
  ) as BlockingReply;
  const sender = senderOf(output[0]?.from_component_branch);
  clients.note(client, { saw: "message", call, messageId, sender, text: textOf(output) });
  clients.note(client, { saw: "end", call, as: "whole" });
  return reply;
}

/** A model that says a piece when it is let, and stops when it is called off. */
function openModel(turnEnds: TurnEnds): Omit<OpenCall, "isOver"> {
  let [allowed, said] = [0, 0];
  let isAsked = false;
  let waitsForOthers = false;
  let wake: () => void = () => undefined;
  let signal: AbortSignal | undefined;
  const isCalledOff = () => signal?.aborted === true;
  const answer: Answerer = Object.assign(
    async (_: string, options: Parameters<Answerer>[1]) => {
      [isAsked, said, signal] = [true, 0, options.signal];
      signal?.addEventListener("abort", () => wake());
      while (said < PIECES.length && !isCalledOff()) {
        if (said >= allowed) {
          await new Promise<void>((resolve) => (wake = resolve));
          continue;
        }
        const piece = PIECES[said++] ?? "";
        options.onText?.(piece);
      }
      await options.committed;
      return {
        text: PIECES.slice(0, said).join(""),
        branch: "model" as const,
        outcome: "answered" as const,
        isExact: false,
        suggestions: [],
        sources: [],
        componentName: "Answer",
        asksForPerson: false,
        audio: [],
        usage: zeroUsage(),
      };
    },
    { lookAhead: () => undefined, asksModels: true },
  );
  return {
    openAnswering: () => Promise.resolve(answer),
    turnEnds: {
      ...turnEnds,
      follow(conversationId) {
        const followed = turnEnds.follow(conversationId);
        waitsForOthers = false;
        return {
          // A caller that begins to wait asks for it.
          get ended() {
            waitsForOthers = true;
            return followed.ended;
          },
          [Symbol.dispose]: () => followed[Symbol.dispose](),
        };
      },
    },
    isResting: () => waitsForOthers || (isAsked && !isCalledOff() && said < PIECES.length && said >= allowed),
    sayMore(pieces) {
      if (!isAsked) return;
      allowed = said + pieces;
      wake();
    },
  };
}

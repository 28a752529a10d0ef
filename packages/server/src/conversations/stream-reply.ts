import { failureBody, FAILURES, type MessageStreamEvent } from "@signalbox/contract";
import { eventFrame, Refusal } from "../platform/index.ts";
import type { Following } from "./answer-ahead.ts";
import type { CallersReply } from "./answer-caller.ts";

/**
 * A reply while it comes about: its id, its text piece by piece, then the whole with what it cost, and the end. A reply that is
 * not stored in the end is withdrawn, so that no client goes on showing it.
 */
export async function* streamReply(
  left: AbortSignal,
  answer: (following: Following) => Promise<CallersReply | Refusal>,
): AsyncGenerator<string> {
  const waiting: MessageStreamEvent[] = [];
  let wake: () => void = () => undefined;
  const tell = (event: MessageStreamEvent) => {
    waiting.push(event);
    wake();
  };
  let isOver = false;
  let begunId: string | undefined;
  let isBegunTold = false;
  const answering = answer({
    begun(message_id) {
      begunId = message_id;
      tell({ code: 11, message: "MessageInfo", data: { message_id } });
    },
    said: (text) => tell({ code: 3, message: "Text", data: text }),
    left,
  })
    .then((reply) => {
      const isBegunStored = !(reply instanceof Refusal) && reply.message_id === begunId;
      if (!isBegunStored) {
        // The client has not read this yet, and shall not.
        waiting.length = 0;
        if (isBegunTold && begunId !== undefined)
          tell({ code: 13, message: "Withdrawn", data: { message_id: begunId } });
        wholeOf(reply).forEach(tell);
      }
      eventsAtTheEnd(reply).forEach(tell);
    })
    .finally(() => {
      isOver = true;
      wake();
    });
  // It is awaited below; until then a failure must not count as unhandled.
  answering.catch(() => undefined);
  for (;;) {
    const more = new Promise<void>((resolve) => (wake = resolve));
    if (waiting.length > 0) {
      isBegunTold ||= begunId !== undefined;
      yield waiting
        .splice(0)
        .map((event) => eventFrame(event))
        .join("");
      continue;
    }
    if (isOver) break;
    await more;
  }
  await answering;
}

/** A reply that an earlier call with the same key was given comes in one piece. */
function wholeOf(reply: CallersReply | Refusal): MessageStreamEvent[] {
  if (reply instanceof Refusal) return [];
  const text = reply.output.map(({ content }) => content.text).join("\n");
  return [
    { code: 11, message: "MessageInfo", data: { message_id: reply.message_id } },
    { code: 3, message: "Text", data: text },
  ];
}

/** A failure in the middle of a stream has a code of the catalogue, five digits, where an event has two. */
function eventsAtTheEnd(reply: CallersReply | Refusal): MessageStreamEvent[] {
  if (reply instanceof Refusal) {
    const { message } = failureBody(reply.failure, reply.advice);
    return [{ code: FAILURES[reply.failure].code, message, data: null }];
  }
  const { suggestions, sources = [] } = reply;
  const data = reply.output.map(({ content, from_component_branch, from_component_name }) => ({
    content,
    branch: from_component_branch,
    from_component_name,
  }));
  return [
    { code: 10, message: "FlowOutput", data },
    ...(suggestions === undefined
      ? []
      : [{ code: 12 as const, message: "Suggestions" as const, data: suggestions }]),
    ...(sources.length === 0 ? [] : [{ code: 14 as const, message: "Sources" as const, data: sources }]),
    { code: 4, message: "Cost", data: reply.usage.tokens },
    { code: 0, message: "End", data: null },
  ];
}

import { failureBody, FAILURES, type MessageStreamEvent } from "@signalbox/contract";
import { eventFrame, Refusal } from "../platform/index.ts";
import type { Following } from "./answer-ahead.ts";
import type { CallersReply } from "./answer-caller.ts";

/** A reply while it comes about: its id, its text piece by piece, then the whole with what it cost, and the end. */
export async function* streamReply(
  left: AbortSignal,
  answer: (following: Following) => Promise<CallersReply | Refusal>,
): AsyncGenerator<string> {
  const waiting: string[] = [];
  let wake: () => void = () => undefined;
  const tell = (event: MessageStreamEvent) => {
    waiting.push(eventFrame(event));
    wake();
  };
  let isOver = false;
  const answering = answer({
    begun: (message_id) => tell({ code: 11, message: "MessageInfo", data: { message_id } }),
    said: (text) => tell({ code: 3, message: "Text", data: text }),
    left,
  })
    .then((reply) => eventsAtTheEnd(reply).forEach(tell))
    .finally(() => {
      isOver = true;
      wake();
    });
  // It is awaited below; until then a failure must not count as unhandled.
  answering.catch(() => undefined);
  for (;;) {
    const more = new Promise<void>((resolve) => (wake = resolve));
    if (waiting.length > 0) {
      yield waiting.splice(0).join("");
      continue;
    }
    if (isOver) break;
    await more;
  }
  await answering;
}

/** A failure in the middle of a stream has a code of the catalogue, five digits, where an event has two. */
function eventsAtTheEnd(reply: CallersReply | Refusal): MessageStreamEvent[] {
  if (reply instanceof Refusal) {
    const { message } = failureBody(reply.failure, reply.advice);
    return [{ code: FAILURES[reply.failure].code, message, data: null }];
  }
  const data = reply.output.map(({ content, from_component_branch, from_component_name }) => ({
    content,
    branch: from_component_branch,
    from_component_name,
  }));
  return [
    { code: 10, message: "FlowOutput", data },
    ...(reply.suggestions === undefined
      ? []
      : [{ code: 12 as const, message: "Suggestions" as const, data: reply.suggestions }]),
    { code: 4, message: "Cost", data: reply.usage.tokens },
    { code: 0, message: "End", data: null },
  ];
}

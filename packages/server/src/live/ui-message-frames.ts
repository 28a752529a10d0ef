import type { ChatEvent, ChatHolder, MessageStreamEvent, UiMessageChunk } from "@signalbox/contract";
import { eventFrame } from "../platform/index.ts";

const frame = (chunk: UiMessageChunk) => eventFrame(chunk);
const END = `${frame({ type: "finish" })}data: [DONE]\n\n`;

const handoffFrame = (holder: ChatHolder) =>
  frame({ type: "data-handoff", data: { holder }, transient: true });

/** A user's message that a human gets, and so no agent answers. */
export async function* toldHuman(): AsyncGenerator<string> {
  yield handoffFrame("human") + END;
}

/** An answer in streaming mode, piece by piece, in the words of the AI SDK. */
export async function* framesOfAnswer(frames: AsyncIterable<string>): AsyncGenerator<string> {
  let id: string | undefined;
  let isOpen = false;
  const closeText = () => {
    if (!isOpen || id === undefined) return "";
    isOpen = false;
    return frame({ type: "text-end", id });
  };
  const translate = (event: MessageStreamEvent): string => {
    // The end, or a failure in its place: only these two say nothing.
    if (event.data === null) return closeText() + (event.code === 0 ? "" : failureFrame(event)) + END;
    switch (event.code) {
      case 11:
        id = event.data.message_id;
        return (
          frame({ type: "start", messageId: id }) +
          frame({ type: "data-speaker", data: { speaker: "agent" } })
        );
      case 3: {
        const at = id ?? "text";
        const begin = isOpen ? "" : frame({ type: "text-start", id: at });
        isOpen = true;
        return begin + frame({ type: "text-delta", id: at, delta: event.data });
      }
      case 12:
        return closeText() + frame({ type: "data-suggestions", data: event.data });
      case 14:
        return (
          closeText() +
          event.data
            .map(({ pair_id: sourceId, doc_id, question }) =>
              frame({
                type: "source-document",
                sourceId,
                mediaType: "text/plain",
                title: question ?? doc_id,
              }),
            )
            .join("")
        );
      case 13:
        return closeText() + frame({ type: "data-withdrawn", data: event.data });
      case 4:
      case 10:
        return "";
    }
  };
  for await (const { data } of eventsIn(frames)) {
    const told = translate(data as MessageStreamEvent);
    if (told !== "") yield told;
  }
}

/** A handoff is no failure: the UI shows that a person takes over. */
function failureFrame({ code, message }: { code: number; message: string }): string {
  return code === 40900 ? handoffFrame("waiting") : frame({ type: "error", errorText: message });
}

/**
 * What was said since the user's last message, each message by itself. While a human holds the chat, or an answer is due, the
 * stream stays open and tells what comes.
 */
export async function* framesSinceUser(frames: AsyncIterable<string>): AsyncGenerator<string> {
  let waiting: ChatEvent<"message">[] = [];
  let holder: ChatHolder = "agent";
  let isAnswerDue = false;
  let isReady = false;
  for await (const { event, data } of eventsIn(frames)) {
    let told = "";
    if (event === "message") {
      const message = data as ChatEvent<"message">;
      isAnswerDue = message.sender === "user";
      waiting = isAnswerDue ? [] : [...waiting, message];
    } else if (event === "control") {
      ({ holder } = data as ChatEvent<"control">);
      told = handoffFrame(holder);
    } else if (event === "ready") isReady = true;
    else if (event === undefined) told = ":\n\n";
    if (isReady) told += waiting.splice(0).map(messageFrames).join("");
    if (told !== "") yield told;
    if (isReady && holder === "agent" && !isAnswerDue) break;
  }
  yield END;
}

const SPEAKERS = { ai: "agent", human: "human", system: "notice", user: "agent" } as const;

function messageFrames({ message_id: id, sender, text, name, suggestions }: ChatEvent<"message">): string {
  const speaker = { speaker: SPEAKERS[sender], ...(name !== undefined && { name }) };
  return [
    frame({ type: "start", messageId: id }),
    frame({ type: "data-speaker", data: speaker }),
    frame({ type: "text-start", id }),
    frame({ type: "text-delta", id, delta: text }),
    frame({ type: "text-end", id }),
    suggestions === undefined ? "" : frame({ type: "data-suggestions", data: suggestions }),
  ].join("");
}

/** Frames of our own, which may come several at once; one without data is a heartbeat. */
async function* eventsIn(
  frames: AsyncIterable<string>,
): AsyncGenerator<{ event: string | undefined; data: unknown }> {
  for await (const several of frames)
    for (const one of several.split("\n\n").filter((text) => text !== "")) {
      const lines = one.split("\n");
      const valueOf = (field: string) =>
        lines.find((line) => line.startsWith(`${field}: `))?.slice(field.length + 2);
      const data = valueOf("data");
      yield { event: valueOf("event"), data: data === undefined ? undefined : JSON.parse(data) };
    }
}

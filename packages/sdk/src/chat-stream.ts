import { type ChatEvent, type ChatEventName, chatEvents, type RequestOf } from "@signalbox/contract";
import { follow, type FollowOptions } from "./following.ts";
import { readJson, type Sender } from "./sending.ts";
import type { ServerSentEvent } from "./server-sent-events.ts";

/** What is told of a conversation, with the names of the wire. Only a message has an id, to go on behind. */
export type ChatStreamEvent = {
  [Name in ChatEventName]: { event: Name; data: ChatEvent<Name> } & (Name extends "message"
    ? { id: string }
    : object);
}[ChatEventName];

export async function* followChat(
  sender: Sender,
  input: RequestOf<"followChat">,
  options: FollowOptions = {},
): AsyncGenerator<ChatStreamEvent, void, undefined> {
  for await (const told of follow(sender, { name: "followChat", input }, options)) {
    const event = readEvent(told);
    if (event !== undefined) yield event;
  }
}

/** A newer service may tell more than this version knows. */
function readEvent({ event, id, data }: ServerSentEvent): ChatStreamEvent | undefined {
  if (!Object.hasOwn(chatEvents, event)) return undefined;
  // Safe because the service tells under each name what the contract says.
  return { event, data: readJson(data), ...(event === "message" && { id }) } as ChatStreamEvent;
}

import { type ChatEvent, type ChatEventName, chatEvents } from "@signalbox/contract";
import type { FollowChatRequest } from "./bodies.generated.ts";
import { follow, type FollowOptions } from "./following.ts";
import { readJson, type Sender } from "./sending.ts";
import type { ServerSentEvent } from "./server-sent-events.ts";

/** An event of a conversation, with the names of the wire. Only a message has an id, from which a stream can go on. */
export type ChatStreamEvent = {
  [Name in ChatEventName]: { event: Name; data: ChatEvent<Name> } & (Name extends "message"
    ? { id: string }
    : object);
}[ChatEventName];

export async function* followChat(
  sender: Sender,
  input: FollowChatRequest,
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

import { type ChangeEvent, type ChangeEventName, changeEvents } from "@signalbox/contract";
import type { FollowChangesRequest } from "./bodies.generated.ts";
import { follow, type FollowOptions } from "./following.ts";
import { readJson, type Sender } from "./sending.ts";

/** `ready` is told again whenever the stream was opened anew: what changed in between was not told. */
export type ChangeStreamEvent = {
  [Name in ChangeEventName]: { event: Name; data: ChangeEvent<Name> };
}[ChangeEventName];

export async function* followChanges(
  sender: Sender,
  input: FollowChangesRequest,
  options: Omit<FollowOptions, "lastEventId"> = {},
): AsyncGenerator<ChangeStreamEvent, void, undefined> {
  for await (const { event, data } of follow(sender, { name: "followChanges", input }, options))
    // Safe because the service tells under each name what the contract says; a newer one may tell more.
    if (Object.hasOwn(changeEvents, event)) yield { event, data: readJson(data) } as ChangeStreamEvent;
}

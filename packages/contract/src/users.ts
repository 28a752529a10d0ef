import { z } from "zod";
import { absentIfEmpty, words } from "./values.ts";

export const BINDINGS_MAX = 100;

export const userId = words(255).describe("The developer's id of the user");
export const anonymousId = words(128);

/** On which channel the anonymous id was met: those of ours are API and WIDGET. */
const AnonymousId = z
  .object({
    anonymous_id: anonymousId,
    conversation_type: words(32).toUpperCase(),
    source_id: absentIfEmpty(words(128)).describe("Account within a channel that has several"),
  })
  .meta({ id: "AnonymousId" });

export const SetUserIdRequest = z
  .object({ user_id: userId, anonymous_ids: z.array(AnonymousId).min(1).max(BINDINGS_MAX) })
  .meta({ id: "SetUserIdRequest" });
export type SetUserIdRequest = z.output<typeof SetUserIdRequest>;

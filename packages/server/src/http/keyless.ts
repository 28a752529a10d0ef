import { refuse, type Refusal } from "../platform/index.ts";
import type { Authenticators, Identity } from "./authenticate.ts";
import type { JsonBody } from "./json-body.ts";

/** Decisions, 4.9: what somebody without a key hears of a call that no desk allowed, whatever is wrong with it. */
export function refuseKeyless(): Refusal {
  return refuse("developerAuth", "send an API key of the agent as Authorization: Bearer <API_KEY>");
}

/** Without a key, what is wrong with a call is told to a desk that may call so, and to nobody else. */
export async function hideFromStrangers(
  refusal: Refusal,
  identity: Identity | undefined,
  body: JsonBody | undefined,
  { keylessDesk }: Pick<Authenticators, "keylessDesk">,
): Promise<Refusal> {
  if (identity?.kind !== "keyless") return refusal;
  return (await keylessDesk(handoffIn(body?.value))) ? refusal : refuseKeyless();
}

/** What a desk names, in a body that may be anything. */
function handoffIn(body: unknown): unknown {
  return typeof body === "object" && body !== null && "conversation_id" in body
    ? body.conversation_id
    : undefined;
}

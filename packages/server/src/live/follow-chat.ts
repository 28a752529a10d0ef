import type { InputOf } from "@signalbox/contract";
import { closing, EventStream, Refusal, type AgentDatabase, type ChatCaller } from "../platform/index.ts";
import type { LiveHub } from "./live-hub.ts";
import { refuseForeign } from "./own-conversation.ts";
import type { VisitorLimits } from "./visitor-limits.ts";

/** The messages after the last event the client has, then the messages as they come. */
export async function followChat(
  { agents, hub, limits }: { agents: AgentDatabase; hub: LiveHub; limits: VisitorLimits },
  caller: ChatCaller,
  { conversation_id }: InputOf<"followChat">,
): Promise<EventStream | Refusal> {
  const foreign = await refuseForeign(agents, caller, conversation_id);
  if (foreign !== undefined) return foreign;
  const { expiresAt } = caller;
  const close = limits.openStream(caller);
  if (close instanceof Refusal) return close;
  return new EventStream((left, lastEventId) => {
    // Nobody hears on who could not come in any more: a client that still may comes back with a new token.
    const expired = AbortSignal.timeout(Math.max(0, expiresAt - Date.now()));
    const followed = { user: caller, conversationId: conversation_id, afterSeq: seqOf(lastEventId) };
    return closing(hub.follow(followed, AbortSignal.any([left, expired])), close);
  });
}

/** Whatever else it says is read as nothing: the whole conversation is told again. */
function seqOf(lastEventId: string | undefined): number {
  return lastEventId !== undefined && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : 0;
}

import { ACKNOWLEDGED, type Acknowledged, type AskedForPerson, type InputOf } from "@signalbox/contract";
import { leaveHandoff, requestHandoff, type HandoffParts } from "../handoff/index.ts";
import { Refusal, type ChatCaller } from "../platform/index.ts";
import { refuseForeign } from "./own-conversation.ts";

/** The user's own request, not the developer's on his behalf. */
export async function askForPerson(
  parts: HandoffParts,
  caller: ChatCaller,
  input: InputOf<"askForPerson">,
): Promise<AskedForPerson | Refusal> {
  const foreign = await refuseForeign(parts.agents, caller, input.conversation_id);
  if (foreign !== undefined) return foreign;
  const asked = await requestHandoff(parts, caller, input, "user");
  return asked instanceof Refusal ? asked : { outcome: asked.outcome };
}

/** The user goes back to the agent. */
export async function leavePerson(
  parts: HandoffParts,
  caller: ChatCaller,
  input: InputOf<"leavePerson">,
): Promise<Acknowledged | Refusal> {
  const foreign = await refuseForeign(parts.agents, caller, input.conversation_id);
  if (foreign !== undefined) return foreign;
  const left = await leaveHandoff(parts, caller, input);
  return left instanceof Refusal ? left : ACKNOWLEDGED;
}

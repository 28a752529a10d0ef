import type { InputOf, SaidInChat } from "@signalbox/contract";
import { acceptMessage, type AcceptTogether } from "../conversations/index.ts";
import { actAfterCommit, objectKey, type AfterCommitParts } from "../engine/index.ts";
import { newId, Refusal, type AgentDatabase, type ChatCaller, type Sealer } from "../platform/index.ts";
import { refuseForeign } from "./own-conversation.ts";
import { payerOf, type VisitorLimits } from "./visitor-limits.ts";

export interface SayInChatParts extends AfterCommitParts {
  agents: AgentDatabase;
  sealer: Sealer;
  acceptTogether: AcceptTogether;
  limits: VisitorLimits;
}

/** For the agent or the human, as the conversation's control says; the answer comes by the stream. */
export async function sayInChat(
  parts: SayInChatParts,
  caller: ChatCaller,
  input: InputOf<"sayInChat">,
): Promise<SaidInChat | Refusal> {
  return (await admitMessage(parts, caller, input.conversation_id)) ?? sayAdmitted(parts, caller, input);
}

/** Only in a conversation of their own, and no more than one user may say. */
export async function admitMessage(
  { agents, limits }: Pick<SayInChatParts, "agents" | "limits">,
  caller: ChatCaller,
  conversationId: string,
): Promise<Refusal | undefined> {
  return (await refuseForeign(agents, caller, conversationId)) ?? limits.refuseMessage(caller);
}

export async function sayAdmitted(
  parts: SayInChatParts,
  caller: ChatCaller,
  { conversation_id, text, attachments, client_id }: InputOf<"sayInChat">,
): Promise<SaidInChat | Refusal> {
  const { agentId } = caller;
  const accepted = await acceptMessage(parts, caller, {
    id: newId(),
    agentId,
    conversationId: conversation_id,
    text: text ?? "",
    ...(attachments.length > 0 && { attachments }),
    responseMode: undefined,
    clientId: client_id ?? undefined,
    answerWith: { payer: payerOf(caller) },
    traceparent: caller.trace?.traceparent,
  });
  if (accepted instanceof Refusal) return accepted;
  caller.trace?.note({ conversationId: conversation_id, messageId: accepted.messageId });
  // The message is committed, so nobody waits for an engine that hangs; a call that is lost the reconciler makes.
  void actAfterCommit(parts, [...accepted.calls, { announce: objectKey(agentId, conversation_id) }]);
  return { message_id: accepted.messageId };
}

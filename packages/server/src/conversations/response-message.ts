import type { AgentResponseMessage } from "@signalbox/contract";
import type { Answer } from "../answering/index.ts";

export interface ResponseMessageFacts {
  conversationId: string;
  messageId: string;
  userId: string | null;
  anonymousId: string | null;
  answer: Answer;
  createdAt: Date;
}

/** The body of 2.5 as the bytes that are stored, signed and sent: exactly the fields of the specification. */
export function responseMessageBytes(facts: ResponseMessageFacts): Buffer {
  const { conversationId, messageId, userId, anonymousId, answer, createdAt } = facts;
  const message: AgentResponseMessage = {
    user_id: userId,
    anonymous_id: anonymousId,
    conversation_id: conversationId,
    message_id: messageId,
    create_time: createdAt.getTime(),
    output: [
      {
        from_component_branch: answer.branch,
        from_component_name: answer.componentName,
        content: { text: answer.text, audio: [] },
      },
    ],
    usage: answer.usage,
  };
  return Buffer.from(JSON.stringify(message), "utf8");
}

import type { AgentResponseMessage, OutputItem, Usage } from "@signalbox/contract";

export interface ResponseMessageFacts {
  conversationId: string;
  messageId: string;
  userId: string | null;
  anonymousId: string | null;
  /** Who speaks: decisions, 4.5. */
  branch: "direct" | "model" | "fallback" | "human" | "notice";
  componentName: string;
  text: string;
  /** The same aloud; nothing where nobody spoke. */
  audio?: OutputItem["content"]["audio"];
  usage: Usage;
  createdAt: Date;
}

/** The body of 2.5: exactly the fields of the specification. */
export function responseMessage(facts: ResponseMessageFacts): AgentResponseMessage {
  const {
    conversationId,
    messageId,
    userId,
    anonymousId,
    branch,
    componentName,
    text,
    audio = [],
    usage,
    createdAt,
  } = facts;
  const spoken: OutputItem = {
    from_component_branch: branch,
    from_component_name: componentName,
    content: { text, audio },
  };
  return {
    user_id: userId,
    anonymous_id: anonymousId,
    conversation_id: conversationId,
    message_id: messageId,
    create_time: createdAt.getTime(),
    output: [spoken],
    usage,
  };
}

/** The same as the bytes that are stored, signed and sent. */
export function responseMessageBytes(facts: ResponseMessageFacts): Buffer {
  return Buffer.from(JSON.stringify(responseMessage(facts)), "utf8");
}

import {
  zeroUsage,
  type AgentResponseMessage,
  type EstablishHandoff,
  type HandoffChat,
} from "@signalbox/contract";
import { newId } from "../platform/index.ts";

// Rule 4.3: a real body in every field, made up, and marked so that a developer does nothing with it.

const TEXT = "This is an availability test.";
const COMPONENT = "Availability test";

export function testMessage(now: Date): AgentResponseMessage {
  return {
    user_id: null,
    anonymous_id: null,
    conversation_id: newId(),
    message_id: newId(),
    create_time: now.getTime(),
    output: [
      {
        from_component_branch: "notice",
        from_component_name: COMPONENT,
        content: { text: TEXT, audio: [] },
      },
    ],
    usage: zeroUsage(),
    istest: true,
  };
}

/** The two belong to one handoff, which does not exist. */
export function testHandoff(agentId: string, now: Date): { establish: EstablishHandoff; chat: HandoffChat } {
  const conversation_id = newId();
  const timestamp = now.getTime();
  return {
    establish: {
      conversation_id,
      timestamp,
      email: null,
      bot_id: agentId,
      body: [{ text: TEXT, message_type: "QUESTION" }],
      user_info: { phone: null, email: null, user_id: null, anonymous_id: null },
      istest: true,
    },
    chat: { conversation_id, timestamp, body: TEXT, istest: true },
  };
}

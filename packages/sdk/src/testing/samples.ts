import { type EstablishHandoff, zeroUsage } from "@signalbox/contract";
import type { Bodies, CallKind } from "../receiver/calls.ts";

export const SAMPLE_CONVERSATION_ID = "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21";
const HANDOFF_ID = "0199f3a2-7d2f-7c55-8e1b-6a3f7a2d9f32";
const AGENT_ID = "0199f3a2-5b0d-7a33-8c9f-4e1e5e0b7d10";
const MESSAGE_ID = "0199f3a2-8e30-7d66-9f2c-7b4a8b3e0a43";

/** A body of each kind as the service sends it, so that a test need write only what it is about. */
export function sampleBody<Kind extends CallKind>(
  kind: Kind,
  changes: Partial<Bodies[Kind]> = {},
): Bodies[Kind] {
  return { ...samples(Date.now())[kind], ...changes };
}

function samples(now: number): Bodies {
  const asked: EstablishHandoff = {
    conversation_id: HANDOFF_ID,
    timestamp: now,
    email: "ada@example.com",
    bot_id: AGENT_ID,
    body: [
      { text: "My parcel has not arrived.", message_type: "QUESTION" },
      { text: "I am sorry to hear that. Shall I connect you to a person?", message_type: "ANSWER" },
      { text: "Yes, please.", message_type: "QUESTION" },
    ],
    user_info: { phone: null, email: "ada@example.com", user_id: "u-1", anonymous_id: null },
  };
  return {
    message: {
      user_id: "u-1",
      anonymous_id: null,
      conversation_id: SAMPLE_CONVERSATION_ID,
      message_id: MESSAGE_ID,
      create_time: now,
      output: [
        {
          from_component_branch: "direct",
          from_component_name: "Answer",
          content: { text: "We open at nine, every day but Sunday.", audio: [] },
        },
      ],
      usage: zeroUsage(),
    },
    handoff_requested: asked,
    message_left: asked,
    user_message: { conversation_id: HANDOFF_ID, timestamp: now, body: "It was due on Monday." },
    handoff_closed: { conversation_id: HANDOFF_ID, timestamp: now, type: "USER_CLOSED" },
    operator_event: {
      event: "destination_failing",
      event_id: MESSAGE_ID,
      at: now,
      agent_id: AGENT_ID,
      webhook_id: HANDOFF_ID,
      url: "https://shop.example.com/hooks",
    },
  };
}

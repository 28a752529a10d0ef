import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CloseHandoff, EstablishHandoff, HandoffChat, ReceiveHumanMessageRequest } from "./handoff.ts";
import { AgentResponseMessage, MessageAcknowledgement, zeroUsage } from "./messages.ts";
import { CheckWebhooksReply } from "./webhooks.ts";

const id = "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21";

const message = {
  user_id: null,
  anonymous_id: null,
  conversation_id: id,
  message_id: id,
  create_time: 1_742_265_090_895,
  output: [
    {
      from_component_branch: "direct",
      from_component_name: "Knowledge",
      content: { text: "At nine.", audio: [{ audio: "https://a.example/nine.mp3", transcript: "At nine." }] },
    },
  ],
  usage: zeroUsage(),
};

function places(value: unknown, above: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  const deeper = Object.entries(value).flatMap(([key, inner]) => places(inner, [...above, key]));
  return Array.isArray(value) ? deeper : [above, ...deeper];
}

function withExtra(value: object, place: string[]): unknown {
  const copy = structuredClone(value) as Record<string, unknown>;
  let target = copy;
  for (const key of place) target = target[key] as Record<string, unknown>;
  target["extra"] = 1;
  return copy;
}

describe("2.5 agent response message", () => {
  it("a 2.5 message has the fields of the specification, and istest in a test", () => {
    assert.deepEqual(AgentResponseMessage.parse(message), message);
    assert.deepEqual(AgentResponseMessage.parse({ ...message, istest: true }), { ...message, istest: true });
  });

  it("a 2.5 message with a field that the specification does not list is refused at any depth", () => {
    const found = places(message);
    assert.equal(found.length, 9);
    for (const place of found) {
      assert.equal(AgentResponseMessage.safeParse(withExtra(message, place)).success, false, place.join("."));
    }
  });

  it("a 2.5 message lacks no field but istest", () => {
    for (const field of Object.keys(message)) {
      const { [field as keyof typeof message]: _, ...rest } = message;
      assert.equal(AgentResponseMessage.safeParse(rest).success, false, field);
    }
  });

  it("a 2.5 message is acknowledged with code 200 and msg success", () => {
    assert.equal(MessageAcknowledgement.safeParse({ code: 200, msg: "success" }).success, true);
    assert.equal(MessageAcknowledgement.safeParse({ code: 0, msg: "OK" }).success, false);
    assert.equal(MessageAcknowledgement.safeParse({}).success, false);
  });
});

describe("handoff bodies", () => {
  const establish = {
    conversation_id: id,
    timestamp: 1_742_265_090_895,
    email: null,
    bot_id: id,
    body: [{ text: "Help", message_type: "QUESTION" }],
    user_info: { phone: null, email: null, user_id: "u1", anonymous_id: null },
  };

  it("the bodies of 4.6 to 4.8 are exactly as specified", () => {
    assert.deepEqual(EstablishHandoff.parse(establish), establish);
    for (const place of places(establish)) {
      assert.equal(EstablishHandoff.safeParse(withExtra(establish, place)).success, false, place.join("."));
    }
    const chat = { conversation_id: id, timestamp: 1, body: "Hello?" };
    assert.deepEqual(HandoffChat.parse({ ...chat, istest: true }), { ...chat, istest: true });
    assert.equal(HandoffChat.safeParse({ ...chat, extra: 1 }).success, false);
    const close = { conversation_id: id, timestamp: 1, type: "TIMEOUT" };
    assert.deepEqual(CloseHandoff.parse(close), close);
    assert.equal(CloseHandoff.safeParse({ ...close, type: "HUMAN_CLOSED" }).success, false);
    assert.equal(CloseHandoff.safeParse({ ...close, istest: true }).success, false);
  });

  it("a 4.9 timestamp in seconds is converted to milliseconds", () => {
    const reply = ReceiveHumanMessageRequest.parse({
      conversation_id: id,
      timestamp: 1_742_265_090,
      body: "Hello",
    });
    assert.equal(reply.timestamp, 1_742_265_090_000);
  });
});

describe("2.4 detection result", () => {
  const probe = { webhook_url: "https://a.example", reachable: false, http_status: 0, latency_ms: 5000 };

  it("a 2.4 result names a component for a human service and none for the message webhook", () => {
    const ofMessage = { type: "message", component_id: null, component_name: null, ...probe };
    const ofService = { type: "human_service", component_id: id, component_name: "Desk", ...probe };
    assert.deepEqual(CheckWebhooksReply.parse({ results: [ofMessage, ofService] }).results, [
      ofMessage,
      ofService,
    ]);
    assert.equal(
      CheckWebhooksReply.safeParse({ results: [{ ...ofMessage, component_id: id }] }).success,
      false,
    );
    assert.equal(
      CheckWebhooksReply.safeParse({ results: [{ ...ofService, component_id: null }] }).success,
      false,
    );
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { textWithAttachments } from "./attachments.ts";
import {
  attachmentsOfContent,
  CreateConversationRequest,
  SendMessageRequest,
  textOfContent,
} from "./conversations.ts";
import { readWire } from "./reading.ts";

const id = "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21";
const send = {
  conversation_id: id,
  response_mode: "webhook",
  messages: [{ role: "user", content: "Hello" }],
};

function problemOf(content: unknown, more: object = {}): string | undefined {
  const read = readWire(SendMessageRequest, { ...send, messages: [{ role: "user", content }], ...more });
  return read.ok ? undefined : read.problem;
}

describe("request to create a conversation", () => {
  it("creating a conversation requires a user_id of at most 255 characters or an anonymous_id", () => {
    const problem = (body: unknown) => {
      const read = readWire(CreateConversationRequest, body);
      return read.ok ? undefined : read.problem;
    };
    assert.equal(problem({}), "user_id is required unless anonymous_id is given");
    assert.equal(problem({ anonymous_id: "d" }), undefined);
    assert.equal(problem({ user_id: crypto.randomUUID() }), undefined);
    assert.equal(problem({ user_id: "u".repeat(255) }), undefined);
    assert.equal(problem({ user_id: "u".repeat(256) }), "user_id must have at most 255 characters");
    assert.equal(
      problem({ user_id: "", anonymous_id: "" }),
      "user_id is required unless anonymous_id is given",
    );
    assert.equal(problem({ user_id: "u", anonymous_id: "", email: "", phone: "" }), undefined);
    assert.equal(problem({ user_id: "u", anonymous_id: "d", email: "a@b.example", phone: null }), undefined);
  });
});

describe("request to send a message", () => {
  it("a misspelt field of conversation_config is refused by name", () => {
    const problem = (conversation_config: object) => problemOf("Hello", { conversation_config });
    assert.match(problem({ knowlege: {} }) ?? "", /conversation_config.*knowlege/);
    assert.match(problem({ knowledge: { data_id: [id] } }) ?? "", /conversation_config\.knowledge.*data_id/);
    assert.equal(problem({ knowledge: { data_ids: [id] }, short_term_memory: false }), undefined);
  });

  it("a missing field of a message is named", () => {
    const read = readWire(SendMessageRequest, {});
    assert.equal(
      read.ok ? "" : read.problem,
      "conversation_id is required; response_mode is required: blocking, streaming or webhook; messages is required",
    );
    assert.equal(
      problemOf("x", { messages: [] }),
      "messages must have at least 1 entry; messages must end with a message whose role is user",
    );
  });

  it("messages must end with a message of the user", () => {
    const messages = [...send.messages, { role: "assistant", content: "Hello!" }];
    assert.equal(problemOf("x", { messages }), "messages must end with a message whose role is user");
    assert.equal(problemOf("x", { messages: messages.toReversed() }), undefined);
  });

  it("content is text or a list of parts in every documented form", () => {
    assert.equal(problemOf("Hello"), undefined);
    const attachment = { url: "https://a.example/a.png", format: "png", name: "a" };
    const parts = [
      { type: "text", text: "Look:" },
      { type: "image", image: attachment },
      { type: "audio", audio: [{ url: "https://a.example/a.mp3", base64_content: "", name: "" }] },
      { type: "document", document: [attachment] },
      { type: "text", text: "What is it?" },
    ];
    const read = readWire(SendMessageRequest, { ...send, messages: [{ role: "user", content: parts }] });
    assert.ok(read.ok);
    const content = read.value.messages[0]?.content ?? "";
    assert.equal(textOfContent(content), "Look:\nWhat is it?");
    assert.deepEqual(attachmentsOfContent(content), [
      { type: "image", ...attachment },
      { type: "audio", url: "https://a.example/a.mp3" },
      { type: "document", ...attachment },
    ]);
    assert.equal(
      textWithAttachments("Look:", attachmentsOfContent(content)),
      "Look:\n[image] a: https://a.example/a.png\n[audio] https://a.example/a.mp3\n[document] a: https://a.example/a.png",
    );
  });

  it("the length limit counts a message as a whole, not each part", () => {
    const halves = (length: number) => [
      { type: "text", text: "x".repeat(length) },
      { type: "text", text: "y".repeat(length) },
    ];
    assert.equal(problemOf(halves(12_499)), undefined);
    assert.equal(problemOf(halves(12_500)), "messages[0].content must have at most 25,000 characters");
    const images = Array.from({ length: 11 }, () => ({ url: "https://a.example/a.png" }));
    const parts = [
      { type: "image", image: images },
      { type: "image", image: images },
    ];
    assert.equal(problemOf(parts), "messages[0].content must have at most 20 attachments in all");
  });

  it("a file is accepted by a presigned URL of 4,096 characters and refused as Base64", () => {
    const url = `https://a.example/?signature=${"x".repeat(4_096)}`.slice(0, 4_096);
    assert.equal(problemOf([{ type: "image", image: { url } }]), undefined);
    assert.equal(
      problemOf([{ type: "image", image: [{ base64_content: "AAAA" }] }]),
      "messages[0].content[0].image[0].base64_content is not supported: upload the file and give its url",
    );
  });

  it("the problem of wrong content is named in whichever form it came", () => {
    assert.equal(problemOf(undefined), "messages[0].content is required");
    assert.equal(problemOf(7), "messages[0].content must be a string or a list of parts");
    assert.equal(problemOf(""), "messages[0].content must not be empty");
    assert.equal(problemOf([]), "messages[0].content must have at least 1 entry");
    assert.equal(problemOf("x".repeat(25_001)), "messages[0].content must have at most 25,000 characters");
    assert.equal(problemOf([{ type: "text" }]), "messages[0].content[0].text is required");
    assert.equal(
      problemOf([{ type: "video" }]),
      "messages[0].content[0].type must be text, image, audio or document",
    );
    assert.equal(
      problemOf([{ type: "image" }]),
      "messages[0].content[0].image is required for a part of this type",
    );
    assert.equal(
      problemOf([{ type: "image", image: [{ name: "a" }] }]),
      "messages[0].content[0].image[0].url is required",
    );
  });

  it("every documented setting of conversation_config is accepted", () => {
    const conversation_config = {
      short_term_memory: true,
      long_term_memory: false,
      knowledge: { data_ids: [id], group_ids: [] },
      custom_variables: { plan: "gold", deep: { a: [1, null] } },
      corner_citation: true,
    };
    const read = readWire(SendMessageRequest, { ...send, conversation_config });
    assert.deepEqual(read.ok && read.value.conversation_config, conversation_config);
  });
});

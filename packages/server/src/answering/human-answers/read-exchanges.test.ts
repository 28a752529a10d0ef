import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readExchanges, type SpokenMessage } from "./read-exchanges.ts";

const spoken = (...lines: string[]) =>
  lines.map((line, at): SpokenMessage => {
    const [sender, text = ""] = line.split(": ");
    return { id: `m${at}`, sender: sender === "user" ? "user" : "human", text, at: new Date(at) };
  });
const read = (...lines: string[]) =>
  readExchanges(spoken(...lines), (text) => /human|person/.test(text)).map(({ id, question, answer }) => [
    id,
    question,
    answer,
  ]);

describe("answers of humans in a handoff", () => {
  it("the question before the request for a person is answered by the first real reply", () => {
    assert.deepEqual(
      read(
        "user: Do you repair zippers?",
        "user: I want a human",
        "human: Ada here. How can I help?",
        "user: hello",
        "human: We do, within a week.",
        "human: It is 12 EUR.",
        "user: thanks",
        "human: You are welcome, have a nice day.",
      ),
      [["m4", "Do you repair zippers?", "We do, within a week.\nIt is 12 EUR."]],
    );
  });

  it("each question of a handoff has the answer that follows it", () => {
    assert.deepEqual(
      read(
        "user: Is the garden open?",
        "human: From May on.",
        "user: And parking?",
        "human: Behind the shop.",
      ),
      [
        ["m1", "Is the garden open?", "From May on."],
        ["m3", "And parking?", "Behind the shop."],
      ],
    );
  });

  it("a handoff without a question or without an answer offers nothing", () => {
    assert.deepEqual(read("user: a person please", "human: Ada here, tell me more."), []);
    assert.deepEqual(read("user: Is the garden open?", "human: Which garden?"), []);
  });
});

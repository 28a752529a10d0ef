import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newId } from "./ids.ts";
import { readTyping, tellTyping, type TypingSignal } from "./typing-signals.ts";

describe("typing signals", () => {
  it("typing signals are read as they were told, whatever the human is called, and other words are not", () => {
    const told: string[] = [];
    const [agentId, id] = [newId(), newId()];
    const signals: TypingSignal[] = [
      { by: "user", agentId, handoffId: id },
      ...["Ada, the first", "李雷", undefined, "x".repeat(100)].map((name): TypingSignal => ({
        by: "human",
        agentId,
        conversationId: id,
        name,
      })),
    ];
    for (const signal of signals) tellTyping({ tell: (word) => told.push(word) }, signal);
    assert.ok(told.every((word) => !word.includes(",")));
    assert.deepEqual(readTyping([`inbox ${agentId} ${id}`, ...told, `${agentId}.${id}`]), signals);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { handoffCallsIn, judgeHandoffs } from "./handoff-grammar.ts";
import type { HandoffCall, HandoffEnding } from "./handoff-grammar.ts";
import { startReceiver } from "./receiver.ts";

/** "establish chat close:TIMEOUT", each with an id and a place of its own. */
function told(sentence: string, handoffId = "h"): HandoffCall[] {
  return sentence.split(" ").map((word, index) => {
    const [kind, closeType] = word.split(":");
    return {
      handoffId,
      kind: kind as HandoffCall["kind"],
      webhookId: `${handoffId}-${index}`,
      sequence: index + 1,
      closeType,
    };
  });
}

const judged = (calls: HandoffCall[], ending: HandoffEnding) =>
  judgeHandoffs(calls, new Map([["h", ending]])).map(({ reason }) => reason);

describe("grammar of handoff calls", () => {
  it("the grammar accepts every valid sequence of calls", () => {
    assert.deepEqual(judged(told("establish"), "REFUSED"), []);
    assert.deepEqual(judged(told("establish"), "HUMAN_CLOSED"), []);
    assert.deepEqual(judged(told("establish chat chat"), undefined), []);
    assert.deepEqual(judged(told("establish chat"), "HUMAN_CLOSED"), []);
    assert.deepEqual(judged(told("establish close:TIMEOUT"), "TIMEOUT"), []);
    assert.deepEqual(judged(told("establish chat chat close:USER_CLOSED"), "USER_CLOSED"), []);
  });

  it("the grammar accepts a repeated call, also after its successor", () => {
    const calls = told("establish chat close:TIMEOUT");
    assert.deepEqual(judged([...calls, ...calls], "TIMEOUT"), []);
  });

  it("the grammar reports calls out of order, doubled or missing", () => {
    for (const sentence of [
      "chat",
      "chat establish",
      "establish establish",
      "establish close:TIMEOUT chat",
      "establish close:TIMEOUT close:TIMEOUT",
    ])
      assert.notDeepEqual(judged(told(sentence), "TIMEOUT"), [], sentence);
    assert.deepEqual(judged([], "REFUSED"), ["was told as: nothing"]);
  });

  it("the grammar reports a close that is missing, not due or with another reason", () => {
    assert.deepEqual(judged(told("establish chat"), "TIMEOUT"), ["ended by TIMEOUT without a close"]);
    assert.deepEqual(judged(told("establish chat"), "USER_CLOSED"), ["ended by USER_CLOSED without a close"]);
    assert.deepEqual(judged(told("establish close:TIMEOUT"), "HUMAN_CLOSED"), [
      "was closed although it ended by HUMAN_CLOSED",
    ]);
    assert.deepEqual(judged(told("establish close:TIMEOUT"), undefined), ["was closed although it goes on"]);
    assert.deepEqual(judged(told("establish close:TIMEOUT"), "USER_CLOSED"), [
      "ended by USER_CLOSED and the close said TIMEOUT",
    ]);
  });

  it("the grammar reports a gap, a call repeated under another id and an unrequested handoff", () => {
    const [establish, , second] = told("establish chat chat");
    assert.ok(establish && second);
    assert.deepEqual(judged([establish, second], undefined), ["sequence 3 came where 2 was due"]);
    const renamed = [...told("establish"), { ...establish, webhookId: "other" }];
    assert.notDeepEqual(judged(renamed, "REFUSED"), []);
    assert.deepEqual(judgeHandoffs(told("establish", "stranger"), new Map()), [
      { handoffId: "stranger", reason: "nobody asked for this handoff" },
    ]);
  });

  it("the grammar reads calls from the receiver's record, without availability tests and messages", async () => {
    await using receiver = await startReceiver();
    const send = (path: string, body: object, id: string, sequence: number) =>
      fetch(`${receiver.url}/desk${path}`, {
        method: "POST",
        headers: { "webhook-id": id, "signalbox-sequence": String(sequence) },
        body: JSON.stringify(body),
      });
    await send("/conversation/establish", { conversation_id: "h", istest: true }, "t", 1);
    await send("/conversation/establish", { conversation_id: "h", body: [] }, "h-0", 1);
    await send("/chat", { conversation_id: "h", body: "hello" }, "h-1", 2);
    await send("/conversation/close", { conversation_id: "h", type: "TIMEOUT" }, "h-2", 3);
    await send("/messages", { conversation_id: "c", output: [] }, "m", 1);
    assert.deepEqual(handoffCallsIn(receiver.requests), told("establish chat close:TIMEOUT"));
  });
});

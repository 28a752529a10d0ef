import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judgeStored, type Call, type Stored, type StoredMessage } from "./stored-account.ts";

const CALL: Call = { conversationId: "c", text: "hello", isAnswered: true, messageId: "2" };
const QUESTION: StoredMessage = { conversationId: "c", id: "1", sender: "user", text: "hello" };
const REPLY: StoredMessage = { conversationId: "c", id: "2", sender: "ai", text: "hi" };
const holding = (...messages: StoredMessage[]): Stored => ({
  messages,
  handedOver: new Set(),
  attempts: ["4"],
});
const CLEAN = { storedTwice: [], falseRefusals: [], notStored: [] };

describe("account of what is stored", () => {
  it("a call that is one message and one reply is no finding", () => {
    assert.deepEqual(judgeStored([CALL], holding(QUESTION, REPLY)), CLEAN);
  });

  it("a repeated id, a message beyond what was sent, a second reply and a repeated attempt are stored twice", () => {
    for (const more of [REPLY, { ...QUESTION, id: "3" }, { ...REPLY, id: "3" }]) {
      const { storedTwice } = judgeStored([CALL], holding(QUESTION, REPLY, more));
      assert.notEqual(storedTwice.length, 0, JSON.stringify(more));
    }
    const { storedTwice } = judgeStored([CALL], { ...holding(QUESTION, REPLY), attempts: ["4", "4"] });
    assert.deepEqual(storedTwice, ["the attempt 4: 2 times"]);
  });

  it("a call without an answer may be stored or not, and the same words sent twice are stored twice", () => {
    const unanswered: Call = { conversationId: "c", text: "hello", isAnswered: false };
    assert.deepEqual(judgeStored([unanswered], holding()), CLEAN);
    assert.deepEqual(judgeStored([unanswered], holding(QUESTION)), CLEAN);
    const again = { ...QUESTION, id: "3" };
    assert.deepEqual(judgeStored([CALL, unanswered], holding(QUESTION, REPLY, again)), CLEAN);
  });

  it("an accepted message and a reply that are not there are not stored", () => {
    assert.deepEqual(judgeStored([CALL], holding()).notStored, [CALL]);
    assert.deepEqual(judgeStored([CALL], holding(QUESTION)).notStored, [CALL]);
  });

  it("a refusal because of a human is false where none ever was", () => {
    const refused: Call = {
      conversationId: "c",
      text: "hello",
      isAnswered: false,
      refusal: "a human is handling this conversation",
    };
    assert.deepEqual(judgeStored([refused], holding()).falseRefusals, [refused]);
    const stored = { ...holding(), handedOver: new Set(["c"]) };
    assert.deepEqual(judgeStored([refused], stored).falseRefusals, []);
  });
});

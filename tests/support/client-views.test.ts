import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judgeViews, type StoredMessage, type View } from "./client-views.ts";

const STORED: StoredMessage[] = [
  { id: "u1", seq: 1, sender: "user", text: "When?" },
  { id: "a1", seq: 2, sender: "ai", text: "At nine." },
  { id: "u2", seq: 3, sender: "user", text: "Where?" },
  { id: "h1", seq: 4, sender: "human", text: "Ann here.", author: "Ann" },
  { id: "h2", seq: 5, sender: "human", text: "Bob here.", author: "Bob" },
];

const reply = { saw: "message", messageId: "a1", sender: "ai", text: "At nine." } as const;
/** A stream that is answered, one that a handoff ends, a handoff of two humans, and the webhook that is told all. */
const VIEWS: View[] = [
  { at: 1, client: "caller", saw: "piece", call: "c1", text: "At " },
  { at: 2, client: "caller", ...reply, call: "c1" },
  { at: 3, client: "caller", saw: "end", call: "c1", as: "whole" },
  { at: 4, client: "caller", saw: "piece", call: "c2", text: "Here" },
  { at: 5, client: "developer", saw: "handoff" },
  { at: 6, client: "caller", saw: "withdrawal", call: "c2" },
  { at: 7, client: "caller", saw: "end", call: "c2", as: "failed" },
  { at: 8, client: "Ann", saw: "holder", human: "Ann", afterSeq: 3 },
  { at: 9, client: "Bob", saw: "holder", human: "Bob", afterSeq: 4 },
  { at: 10, client: "webhook", ...reply, call: "c1" },
  { at: 11, client: "webhook", saw: "message", messageId: "h1", sender: "human", text: "Ann here." },
  { at: 2_000, client: "developer", saw: "return" },
  { at: 3_000, client: "caller", saw: "piece", call: "c3", text: "Again" },
  { at: 3_001, client: "caller", saw: "end", call: "c3", as: "cut off" },
];

describe("judge of what clients received", () => {
  const problemsOf = (change: (views: View[], stored: StoredMessage[]) => void) => {
    const [views, stored] = [structuredClone(VIEWS), structuredClone(STORED)];
    change(views, stored);
    return judgeViews(views, stored);
  };

  it("a conversation in which one side spoke at a time has no problem", () => {
    assert.deepEqual(judgeViews(VIEWS, STORED), []);
  });

  it("text of the agent long after a handoff was accepted is found, and none just after it", () => {
    const late = (at: number) =>
      problemsOf((views) => {
        views.push({ at, client: "caller", saw: "piece", call: "c1", text: "nine" });
      });
    assert.deepEqual(late(400), []);
    assert.deepEqual(late(1_005), [
      "caller was shown 1 piece of the agent, up to 1000 ms after a handoff was accepted",
    ]);
  });

  it("words of a human after another human took over are found", () => {
    const problems = problemsOf((_, stored) => {
      stored.push({ id: "h3", seq: 6, sender: "human", text: "Late.", author: "Ann" });
    });
    assert.deepEqual(problems, ['"Late." of Ann was said after Bob had taken over']);
  });

  it("a second reply to a call is found, and a reply that is told twice is none", () => {
    const told = (messageId: string) =>
      problemsOf((views, stored) => {
        stored.push({ id: "a2", seq: 6, sender: "ai", text: "At nine." });
        views.push({ at: 12, client: "webhook", ...reply, messageId, call: "c1" });
      });
    assert.deepEqual(told("a1"), []);
    assert.deepEqual(told("a2"), ["the call c1 was given 2 replies"]);
  });

  it("a message that is stored nowhere, or in other words, is found", () => {
    for (const change of [{ messageId: "a9" }, { text: "At ten." }, { sender: "human" as const }]) {
      const [problem] = problemsOf((views) => {
        views.push({ at: 12, client: "page", ...reply, ...change });
      });
      assert.match(problem ?? "", /^page was shown ".*", which is stored nowhere$/);
    }
  });

  it("text that is neither withdrawn nor the call's reply is found", () => {
    const problems = problemsOf((views) => {
      views.splice(5, 1);
    });
    assert.deepEqual(problems, ["the call c2 was shown text that is neither its reply nor withdrawn"]);
  });

  it("text after its own withdrawal is found", () => {
    const problems = problemsOf((views) => {
      views.push({ at: 6.5, client: "caller", saw: "piece", call: "c2", text: "!" });
    });
    assert.deepEqual(problems, ["the call c2 was shown more after its text was withdrawn"]);
  });

  it("what is shown after an erasure is found, and what was shown before it is not missed", () => {
    const erased = (at: number) =>
      judgeViews(
        [
          { at: 20, client: "operator", saw: "erasure" },
          { at, client: "page", ...reply },
        ],
        [],
      );
    assert.deepEqual(erased(10), []);
    assert.deepEqual(
      judgeViews(
        [
          { at: 20, client: "operator", saw: "erasure" },
          { at: 2_000, client: "caller", saw: "piece", call: "c3", text: "Still" },
          { at: 2_001, client: "caller", saw: "withdrawal", call: "c3" },
        ],
        [],
      ),
      ["caller was shown 1 piece of the agent, up to 1980 ms after the conversation was erased"],
    );
    assert.deepEqual(erased(1_000), ['page was shown "At nine." after the conversation was erased']);
  });
});

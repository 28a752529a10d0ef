import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { zeroUsage } from "@signalbox/contract";
import type { Answerer, AnswerOptions } from "../answering/index.ts";
import { newId, type Database } from "../platform/index.ts";
import { openAnswerAhead } from "./answer-ahead.ts";
import type { CallersTurnRow } from "./callers-turn-store.ts";

const NO_DATABASE = undefined as unknown as Database;

describe("answer that is begun while its message commits", () => {
  function openAhead() {
    const asked: AnswerOptions[] = [];
    const answerer: Answerer = Object.assign(
      async (_: string, options: AnswerOptions) => {
        asked.push(options);
        options.onText?.("Hello");
        await options.committed;
        return {
          text: "Hello",
          branch: "model" as const,
          outcome: "answered" as const,
          isExact: false,
          suggestions: [],
          sources: [],
          componentName: "Answer",
          asksForPerson: false,
          audio: [],
          usage: zeroUsage(),
        };
      },
      { lookAhead: () => undefined, asksModels: true },
    );
    const message = { agentId: newId(), conversationId: newId(), messageId: newId(), text: "Hi" };
    const ahead = openAnswerAhead(
      { db: NO_DATABASE },
      {
        asked: { ...message, callId: "call", answerWith: undefined, traceparent: undefined },
        opening: Promise.resolve(answerer),
        isStreamed: true,
      },
    );
    return { ahead, asked };
  }

  const rowOf = (turnId: string): CallersTurnRow => ({
    began_at: new Date(),
    turn_id: turnId,
    epoch: 1,
    user_id: null,
    anonymous_id: null,
    no_answers: 0,
    quiet_seq: 0,
    is_quiet: false,
    is_live: false,
    has_desk: false,
  });
  const isCalledOff = ({ signal }: AnswerOptions) => signal?.aborted;
  /** Until what was begun has asked. */
  const beginning = () => new Promise((resolve) => setImmediate(resolve));

  it("an accept that was repeated calls off the answer of its first turn and gives that of its second", async () => {
    const { ahead, asked } = openAhead();
    const rows = [rowOf(newId()), rowOf(newId())];
    for (const row of rows) {
      ahead.begin(1, row);
      await beginning();
    }
    assert.deepEqual(asked.map(isCalledOff), [true, false]);
    const begun = ahead.commit(rows[1]);
    assert.equal(begun?.turn.id, rows[1]?.turn_id);
    const said: string[] = [];
    const stop = new AbortController().signal;
    const aloud = { begun: () => undefined, said: (text: string) => said.push(text) };
    const made = await begun?.answer({ aloud, stop });
    assert.ok(made !== undefined && "answer" in made);
    assert.deepEqual([made.answer.text, said], ["Hello", ["Hello"]]);
  });

  it("an accept that committed another turn, or none, calls the answer off", async () => {
    for (const committed of [rowOf(newId()), undefined]) {
      const { ahead, asked } = openAhead();
      ahead.begin(1, rowOf(newId()));
      await beginning();
      assert.equal(ahead.commit(committed), undefined);
      assert.deepEqual(asked.map(isCalledOff), [true]);
      await assert.rejects(asked[0]?.committed ?? Promise.resolve(), /not accepted/);
    }
  });

  it("an answer that nobody is to hear any more calls the model off", async () => {
    const { ahead, asked } = openAhead();
    const row = rowOf(newId());
    ahead.begin(1, row);
    await beginning();
    const stopping = new AbortController();
    void ahead.commit(row)?.answer({ aloud: undefined, stop: stopping.signal });
    assert.deepEqual(asked.map(isCalledOff), [false]);
    stopping.abort();
    assert.deepEqual(asked.map(isCalledOff), [true]);
  });
});

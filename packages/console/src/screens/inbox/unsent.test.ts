import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InboxPerson, TalkMessage, TalkNote } from "@signalbox/contract";
import type { OutgoingMessage } from "./outbox.ts";
import { unsentOf } from "./unsent.ts";

const ME: InboxPerson = { account_id: "me", name: "Ada" };
const BO: InboxPerson = { account_id: "bo", name: "Bo" };
const isMe = (author: InboxPerson | null) => author?.account_id === "me";

const said = (sequence: number, text: string, author: InboxPerson | null = ME): TalkMessage => ({
  message_id: `m${sequence}`,
  sequence,
  sender: author === null ? "user" : "human",
  text,
  attachments: [],
  author,
  time: sequence,
});
const noted = (id: string, text: string): TalkNote => ({ note_id: id, author: ME, text, time: 1 });
const outgoing = (text: string, known: OutgoingMessage["known"], rest: Partial<OutgoingMessage> = {}) => ({
  key: `${text} ${known.sequence}`,
  mode: "reply" as const,
  text,
  files: [],
  time: 1,
  state: "sending" as const,
  known,
  ...rest,
});

describe("messages that the console is sending", () => {
  const known = { sequence: 2, notes: 1 };

  it("a reply that the timeline shows already is not shown as being sent, also when its answer was lost", () => {
    const sent = [outgoing("Hello", known), outgoing("Bye", known, { state: "failed" })];
    const messages = [said(2, "Hi", null), said(3, "Hello"), said(4, "Bye")];
    assert.deepEqual(unsentOf(sent, { messages, notes: [], isMe }), []);
  });

  it("the same words said earlier, by the user or by a colleague hide no reply that is being sent", () => {
    const sent = [outgoing("Hello", known)];
    const messages = [said(1, "Hello"), said(3, "Hello", null), said(4, "Hello", BO)];
    assert.deepEqual(unsentOf(sent, { messages, notes: [], isMe }), sent);
  });

  it("of two equal replies that are being sent, one arrived hides one", () => {
    const sent = [outgoing("Yes", known), outgoing("Yes", { ...known, sequence: 2 })];
    assert.deepEqual(unsentOf(sent, { messages: [said(3, "Yes")], notes: [], isMe }), [sent[1]]);
  });

  it("a note that the timeline shows already is not shown as being sent, an earlier one hides nothing", () => {
    const sent = [outgoing("Careful", known, { mode: "note" })];
    const earlier = [noted("n1", "Careful")];
    assert.deepEqual(unsentOf(sent, { messages: [], notes: earlier, isMe }), sent);
    assert.deepEqual(unsentOf(sent, { messages: [], notes: [...earlier, noted("n2", "Careful")], isMe }), []);
  });
});

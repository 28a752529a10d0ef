import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TalkMessage } from "@signalbox/contract";
import { byDay, itemsOf } from "./timeline-items.ts";

const DAY_MS = 86_400_000;

const message = (sequence: number, time: number): TalkMessage => ({
  message_id: `m${sequence}`,
  sequence,
  sender: "user",
  text: `message ${sequence}`,
  attachments: [],
  author: null,
  time,
});
const note = (time: number) => ({
  note_id: `n${time}`,
  author: { account_id: null, name: "Ada" },
  text: "Seen before.",
  time,
});
const named = (items: ReturnType<typeof itemsOf>) =>
  items.map((item) =>
    item.kind === "message" ? item.message.message_id : item.kind === "note" ? item.note.note_id : item.step,
  );

describe("timeline of a talk", () => {
  it("notes and steps stand between the messages where they happened", () => {
    const talk = { notes: [note(35)], request_time: 15, take_time: 30, close_time: 50 };
    const items = itemsOf(talk, [message(1, 10), message(2, 20), message(3, 40)]);
    assert.deepEqual(named(items), ["m1", "requested", "m2", "taken", "n35", "m3", "closed"]);
  });

  it("a step before the oldest message that is loaded is left out", () => {
    const talk = { notes: [], request_time: 5, take_time: 30, close_time: null };
    assert.deepEqual(named(itemsOf(talk, [message(7, 20)])), ["m7", "taken"]);
  });

  it("messages keep their order even if a clock went back", () => {
    const talk = { notes: [], request_time: 10, take_time: null, close_time: null };
    assert.deepEqual(named(itemsOf(talk, [message(1, 10), message(2, 9)])), ["m1", "m2", "requested"]);
  });

  it("each day has one line", () => {
    const talk = { notes: [], request_time: 1, take_time: null, close_time: null };
    const items = itemsOf(talk, [message(1, 1), message(2, DAY_MS - 1), message(3, DAY_MS)]);
    const days = byDay(items, (time) => String(Math.floor(time / DAY_MS)));
    assert.deepEqual(
      days.map(({ items: ofDay }) => named(ofDay)),
      [["m1", "requested", "m2"], ["m3"]],
    );
  });
});

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import { openBroadcast } from "./broadcast.ts";

describe("broadcast", () => {
  let rows: Rows;
  before(async () => {
    rows = await openRows();
  });
  after(() => rows[Symbol.asyncDispose]());

  async function openTwo() {
    const open = new AsyncDisposableStack();
    const heard: string[] = [];
    const speaker = open.adopt(
      openBroadcast(rows.url, () => undefined),
      (one) => one.close(),
    );
    const listener = open.adopt(
      openBroadcast(rows.url, () => undefined),
      (one) => one.close(),
    );
    let payloads = 0;
    listener.hear((words) => {
      payloads += 1;
      heard.push(...words);
    });
    await eventually("somebody listens", async () => {
      const found = await rows.query(
        "select 1 from pg_stat_activity where query = 'listen signalbox_changed'",
      );
      return found.length > 0;
    });
    return { speaker, heard, payloads: () => payloads, [Symbol.asyncDispose]: () => open.disposeAsync() };
  }
  const has = (heard: string[], word: string) =>
    eventually(`"${word}" is heard`, async () => heard.includes(word), { everyMs: 10 });

  it("a broadcast reaches every process, with duplicates of the same moment merged", async () => {
    await using two = await openTwo();
    const words = Array.from({ length: 250 }, (_, word) => `word-${word}-${"x".repeat(word)}`);
    for (const word of words) {
      two.speaker.tell(word);
      two.speaker.tell(word);
    }
    await has(two.heard, words.at(-1) ?? "");
    assert.deepEqual(two.heard, words);
    assert.equal(two.payloads(), 5, "as many words at a time as a payload holds");
  });

  it("a broadcast can be closed while it is still connecting", { timeout: 10_000 }, async () => {
    const broadcast = openBroadcast(rows.url, () => undefined);
    broadcast.tell("nobody hears it");
    await broadcast.close();
  });

  it("a broadcast sends and listens again after its connection was lost", async () => {
    await using two = await openTwo();
    two.speaker.tell("before");
    await has(two.heard, "before");
    await rows.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'signalbox_changed' and datname = current_database()",
    );
    await eventually("the word comes through again", async () => {
      two.speaker.tell("after");
      return two.heard.includes("after");
    });
  });
});

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import { openWorkDatabase, newId, type Database } from "../platform/index.ts";
import { decideOffers } from "./question-offers.ts";

describe("offers of stored questions", () => {
  const open = new AsyncDisposableStack();
  let rows: Rows;
  let db: Database;
  let agentId: string;
  before(async () => {
    rows = open.use(await openRows());
    const options = { url: rows.url, poolSize: 2, onError: () => undefined };
    db = open.adopt(openWorkDatabase(options), (handle) => handle.close()).db;
    ({ agentId } = await rows.addAgent());
  });
  after(() => open.disposeAsync());

  const documentId = newId();
  const OFFERED = ["How do I return shoes?", "How do I return jackets?"].map((question) => ({
    document_id: documentId,
    question,
  }));

  async function offer(minutesAgo: number, replies: string[]): Promise<string> {
    const conversationId = await rows.addConversation(agentId);
    await rows.insert("question_offer", {
      agent_id: agentId,
      conversation_id: conversationId,
      question_key: Buffer.from("key"),
      id: newId(),
      question: "return",
      offered: JSON.stringify(OFFERED),
      offered_at: new Date(Date.now() - minutesAgo * 60_000),
    });
    for (const [index, text] of replies.entries())
      await rows.insert("message", {
        agent_id: agentId,
        conversation_id: conversationId,
        seq: index + 1,
        id: newId(),
        sender: "user",
        text,
        created_at: new Date(Date.now() - (minutesAgo - 1 - index) * 60_000),
      });
    return conversationId;
  }

  async function chosenIn(conversationId: string): Promise<unknown> {
    const [row] = await rows.query(
      "select chosen_document_id, chosen_question from question_offer where conversation_id = $1",
      [conversationId],
    );
    if (row === undefined) return "gone";
    return row["chosen_question"] === null ? "undecided" : Object.values(row);
  }

  it("an offer is decided by the user's next message: a number, the words of a question, or neither", async () => {
    const offers = {
      number: await offer(10, ["2", "1"]),
      words: await offer(10, ["how do i return SHOES"]),
      other: await offer(10, ["never mind", "1"]),
      silent: await offer(10, []),
      "silent for days": await offer(3_000, []),
    };
    await decideOffers(db, agentId);
    const found = Object.entries(offers).map(async ([name, id]) => [name, await chosenIn(id)]);
    assert.deepEqual(Object.fromEntries(await Promise.all(found)), {
      number: [documentId, "How do I return jackets?"],
      words: [documentId, "How do I return shoes?"],
      other: "gone",
      silent: "undecided",
      "silent for days": "gone",
    });
  });

  it("an offer is deleted with its conversation or its redaction, and kept otherwise", async () => {
    const [redacted, deleted, kept] = [await offer(1, []), await offer(1, []), await offer(1, [])];
    await rows.query("update conversation set redacted_at = now() where id = $1", [redacted]);
    await rows.query("delete from conversation where id = $1", [deleted]);
    await rows.query("update conversation set email = 'ada@example.com' where id = $1", [kept]);
    assert.deepEqual(await Promise.all([redacted, deleted, kept].map(chosenIn)), [
      "gone",
      "gone",
      "undecided",
    ]);
  });
});

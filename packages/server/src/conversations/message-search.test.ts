import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import { openWorkDatabase, type Database } from "../platform/index.ts";
import { conditionsOf, findMessages, messagesWith } from "./message-search.ts";

const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
/** Both characters of the word sought, never together. */
const APART = 2_000;

describe("search of messages", () => {
  let rows: Rows;
  let db: Database;
  let agentId: string;
  const closing = new AsyncDisposableStack();
  before(async () => {
    rows = closing.use(await openRows());
    const opened = openWorkDatabase({ url: rows.url, poolSize: 2, onError: () => undefined });
    closing.defer(() => opened.close());
    db = opened.db;
    const agent = await rows.addAgent();
    agentId = agent.agentId;
    await rows.query(
      `insert into message (agent_id, conversation_id, seq, id, sender, text)
       select $1, $2, n, gen_random_uuid(), 'user', '货已经退了 ' || n from generate_series(1, $3::integer) n`,
      [agentId, agent.conversationId, APART],
    );
    await rows.query("select signalbox_index_messages()");
    await rows.query("vacuum analyze message");
  });
  after(() => closing.disposeAsync());

  /** A conversation in which this was said. */
  async function say(text: string): Promise<string> {
    const conversationId = await rows.addConversation(agentId);
    await rows.query(
      `insert into message (agent_id, conversation_id, seq, id, sender, text) values ($1, $2, 1, gen_random_uuid(), 'user', $3)`,
      [agentId, conversationId, text],
    );
    return conversationId;
  }
  const find = async (text: string) =>
    (await findMessages(db, agentId, text, LAST_ID)).map((row) => row.conversation_id);

  it("a Chinese word is found where its characters stand together, and not where they stand apart", async () => {
    const said = await say("我想退货，订单A-12用iPhone手机下的");
    for (const text of ["退货", "想退货", "退货，手机", "退货 手机", "IPHONE手机", "用iph", "订"])
      assert.deepEqual(await find(text), [said], text);
    for (const text of ["货退", "退订单", "手机iphone", "・"]) assert.deepEqual(await find(text), [], text);
  });

  it("a Chinese word of frequent characters is judged by the text alone, without making its terms anew", async () => {
    const [conditions] = (await conditionsOf("退货").execute(db)).rows;
    assert.ok(conditions !== undefined);
    const { sql, parameters } = messagesWith(conditions, agentId, LAST_ID).compile(db);
    const session = await rows.session();
    try {
      await session.query("begin; set local enable_indexscan = off; set local enable_seqscan = off");
      const { rows: explained } = await session.query<{ "QUERY PLAN": string }>(
        `explain (analyze, costs off, timing off) ${sql}`,
        [...parameters],
      );
      const plan = explained.map((row) => row["QUERY PLAN"]).join("\n");
      assert.match(plan, /Bitmap Index Scan/);
      assert.match(plan, new RegExp(`Rows Removed by Filter: ${APART}`));
      assert.doesNotMatch(plan, /Rows Removed by Index Recheck/);
    } finally {
      await session.query("rollback");
      session.release();
    }
  });
});

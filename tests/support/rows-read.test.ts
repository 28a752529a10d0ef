import assert from "node:assert/strict";
import { it } from "node:test";
import { rowsReadBy } from "./rows-read.ts";
import { openRows } from "./rows.ts";

it("rows read are those of the work alone, not what other connections read before and tell late", async () => {
  await using rows = await openRows();
  const { agentId } = await rows.addAgent();
  for (let more = 0; more < 20; more += 1) await rows.addConversation(agentId);
  const everything = "select count(*) from conversation";
  const [watched, other] = [await rows.session(), await rows.session()];
  other.on("error", () => undefined);
  // The counts of its first reads are reported at once, the rest late.
  for (let again = 0; again < 3; again += 1) await other.query(everything);

  const read = await rowsReadBy(
    rows,
    ["conversation", "lane"],
    (statement) => watched.query(statement),
    async () => {
      await watched.query(everything);
      await other.query("select pg_stat_force_next_flush()").catch(() => undefined);
    },
  );
  watched.release();
  other.release(true);
  assert.deepEqual(Object.fromEntries(read), { conversation: 21, lane: 0 });
});

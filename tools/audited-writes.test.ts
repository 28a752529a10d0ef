import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseSync, Visitor } from "oxc-parser";
import { isUnauditedWrite } from "./audited-writes.ts";

function refusedIn(code: string): number {
  let refused = 0;
  const { program } = parseSync("write.ts", code);
  new Visitor({
    CallExpression(node) {
      if (isUnauditedWrite(node as unknown as Parameters<typeof isUnauditedWrite>[0])) refused += 1;
    },
  }).visit(program);
  return refused;
}

describe("lint of operator writes", () => {
  const REFUSED = [
    `writeAsOperator(parts, caller, async (db) => { await db.deleteFrom("agent").execute(); });`,
    `agents.writeAsOperator(parts, from, (db) => remove(db, agentId));`,
    `await operator.write(caller, async (db): Promise<void> => { log(caller.tokenName); await store(db); });`,
  ];
  for (const code of REFUSED)
    it(`an operator write without an audit row is refused: ${code}`, () => assert.equal(refusedIn(code), 1));

  const TAKEN = [
    `writeAsOperator(parts, caller, async (db) => { if (x) return refuse("notFound"); await audit(db, caller, change); });`,
    `writeAsOperator(parts, caller, (db) => removeWebhook(db, caller, owner));`,
    `operator.write(caller, async (db) => { for (const row of rows) await operator.audit(db, caller, row); });`,
    `writeAsOperator(parts, from, async () => ({ results }));`,
    `write(caller, async (db) => store(db)); file.write(caller, (db) => store(db));`,
  ];
  for (const code of TAKEN)
    it(`an operator transaction with an audit row or without a write is accepted: ${code}`, () =>
      assert.equal(refusedIn(code), 0));
});

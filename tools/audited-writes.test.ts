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

describe("a write as operator", () => {
  const REFUSED = [
    `writeAsOperator(parts, caller, async (db) => { await db.deleteFrom("agent").execute(); });`,
    `agents.writeAsOperator(parts, from, (db) => remove(db, agentId));`,
    `await operator.write(caller, async (db): Promise<void> => { log(caller.tokenName); await store(db); });`,
  ];
  for (const code of REFUSED)
    it(`is refused without an audit row: ${code}`, () => assert.equal(refusedIn(code), 1));

  const TAKEN = [
    `writeAsOperator(parts, caller, async (db) => { if (x) return refuse("notFound"); await audit(db, caller, change); });`,
    `writeAsOperator(parts, caller, (db) => removeWebhook(db, caller, owner));`,
    `operator.write(caller, async (db) => { for (const row of rows) await operator.audit(db, caller, row); });`,
    `writeAsOperator(parts, from, async () => ({ results }));`,
    `write(caller, async (db) => store(db)); file.write(caller, (db) => store(db));`,
  ];
  for (const code of TAKEN)
    it(`is taken with one, or when it writes nothing: ${code}`, () => assert.equal(refusedIn(code), 0));
});

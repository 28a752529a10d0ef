import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import { joinLeaderElection, type LeaderElection } from "./leader-election.ts";

/** A process of its own that contends until it is killed, and says so when it leads. */
const CONTENDER = `
  import { joinLeaderElection } from ${JSON.stringify(import.meta.resolve("./leader-election.ts"))};
  const election = joinLeaderElection(process.argv[1], 60_000, () => undefined);
  setInterval(async () => { if (await election.tryToLead()) console.log("leads"); }, 20);
`;

describe("leader election", () => {
  let rows: Rows;
  const contenders: LeaderElection[] = [];
  before(async () => {
    rows = await openRows();
  });
  after(async () => {
    await Promise.all(contenders.map((election) => election.resign()));
    await rows[Symbol.asyncDispose]();
  });

  const errors: Error[] = [];
  function contend(silentMs = 60_000): LeaderElection {
    const election = joinLeaderElection(rows.url, silentMs, (error) => errors.push(error));
    contenders.push(election);
    return election;
  }
  const passesTo = (election: LeaderElection) =>
    eventually("leadership passes on", () => election.tryToLead(), { everyMs: 20 });

  it("one process leads at a time and stays leader while it renews", async () => {
    const [one, two] = [contend(), contend()];
    assert.deepEqual([await one.tryToLead(), await two.tryToLead()], [true, false]);
    assert.deepEqual([await two.tryToLead(), await one.tryToLead()], [false, true]);
    await one.resign();
    await passesTo(two);
    assert.equal(await one.tryToLead(), false);
    await two.resign();
    await one.resign();
  });

  it("one process leads when many ask at the same moment", async () => {
    const many = Array.from({ length: 8 }, () => contend());
    const answers = await Promise.all(many.map((election) => election.tryToLead()));
    assert.equal(answers.filter(Boolean).length, 1);
    await Promise.all(many.map((election) => election.resign()));
  });

  it("leadership passes on when the leader's connection is cut, and the leader knows before it acts again", async () => {
    const [leader, next] = [contend(), contend()];
    assert.equal(await leader.tryToLead(), true);
    assert.equal(await next.tryToLead(), false);
    const cut = await rows.query(
      `select pg_terminate_backend(pid) from pg_locks
       where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`,
    );
    assert.equal(cut.length, 1, "one session holds the lock");
    await passesTo(next);
    assert.equal(await leader.tryToLead(), false);
    assert.notEqual(errors.length, 0, "the loss was told");
    await next.resign();
    await passesTo(leader);
    await leader.resign();
  });

  it("leadership passes on when the leader's process is killed", async (context) => {
    const process = spawnContender(rows.url);
    context.after(() => process.kill("SIGKILL"));
    assert.ok(process.stdout !== null);
    await once(process.stdout, "data");
    const next = contend();
    assert.equal(await next.tryToLead(), false);
    process.kill("SIGKILL");
    const [, signal] = (await once(process, "exit")) as [number | null, string | null];
    assert.equal(signal, "SIGKILL");
    await passesTo(next);
    await next.resign();
  });

  it("leadership passes on when the leader hangs, and does not return to it when it wakes", async () => {
    const [hanging, next] = [contend(500), contend(500)];
    assert.equal(await hanging.tryToLead(), true);
    await passesTo(next);
    assert.equal(await hanging.tryToLead(), false);
    await next.resign();
    await hanging.resign();
  });

  it("no process leads while PostgreSQL is unreachable, without a throw", async () => {
    const lost = joinLeaderElection("postgres://nobody@127.0.0.1:1/none", 60_000, () => undefined);
    assert.equal(await lost.tryToLead(), false);
    await lost.resign();
  });
});

function spawnContender(url: string): ChildProcess {
  return spawn(process.execPath, ["--input-type=module", "-e", CONTENDER, url], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

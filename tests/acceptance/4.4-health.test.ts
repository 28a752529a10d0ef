import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@signalbox/sdk";
import { makeAgent } from "../support/agents.ts";
import type { MadeAgent } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { startEngine } from "../support/engine.ts";
import type { Engine } from "../support/engine.ts";
import { logLines } from "../support/log-lines.ts";
import { eventually, freePort, processesUsing } from "../support/processes.ts";
import { startService } from "../support/service.ts";
import type { Service } from "../support/service.ts";
import { sendRequest } from "../support/wire.ts";
import { atMost } from "../support/machine.ts";

const PATH = "/v1/webhook/service/health";

describe("4.4 service health probe", () => {
  let bed: Bed;
  /** A node whose engine is away from the first moment of this file on, while the other tests use the rest. */
  let cutOff: Service;
  let lostEngine: Engine;
  let lostAt = 0;
  const closing = new AsyncDisposableStack();

  before(async () => {
    bed = closing.use(await openBed({ apis: 1, workers: 1, ownCluster: true }));
    lostEngine = closing.use(await startEngine());
    cutOff = closing.use(
      await startService({
        role: "api",
        name: "api-cut-off",
        port: await freePort(),
        directory: bed.directory,
        environment: { ...bed.environment, ENGINE_INGRESS_URL: lostEngine.ingressUrl },
      }),
    );
    assert.equal((await probe(cutOff.baseUrl)).status, 200);
    await lostEngine.kill9();
    lostAt = performance.now();
  });
  after(() => closing.disposeAsync());

  async function probe(baseUrl = bed.baseUrl): Promise<{ status: number; text: string; tookMs: number }> {
    const begun = performance.now();
    const { status, text } = await sendRequest(baseUrl, { path: PATH });
    return { status, text, tookMs: performance.now() - begun };
  }

  async function becomes(isNormal: boolean, withinMs: number, baseUrl = bed.baseUrl): Promise<void> {
    const what = isNormal ? "the service is normal" : "the service is not normal";
    const begun = performance.now();
    await eventually(what, async () => ((await probe(baseUrl)).status === 200) === isNormal, { everyMs: 20 });
    atMost(performance.now() - begun, withinMs, what);
  }

  it("the health probe returns 200 in plain text with the exact words, to anybody", async () => {
    for (const headers of [{}, { authorization: "Bearer nobody" }]) {
      const answer = await sendRequest(bed.baseUrl, { path: PATH, headers });
      assert.deepEqual([answer.status, answer.text], [200, "service is normal"]);
      assert.match(answer.headers["content-type"] ?? "", /^text\/plain\b/);
    }
  });

  it("the health probe and its parameters: HEAD is answered as GET is, and a query changes nothing", async () => {
    for (const path of [PATH, "/livez", "/readyz"]) {
      const head = await sendRequest(bed.baseUrl, { method: "HEAD", path });
      assert.deepEqual([head.status, head.text], [200, ""], path);
      assert.match(head.headers["content-type"] ?? "", /^text\/plain\b/);
    }
    const asked = await sendRequest(bed.baseUrl, { path: `${PATH}?detail=1&detail=%00` });
    assert.deepEqual([asked.status, asked.text], [200, "service is normal"]);
  });

  it("the health probe queries the database at most once a second", async () => {
    await bed.database.query("alter system set log_statement = 'all'");
    await bed.database.query("select pg_reload_conf()");
    await eventually("statements are logged", async () => {
      await bed.database.query("select 'a statement to look for'");
      return bed.ownCluster().logs().includes("a statement to look for");
    });
    const checks = () => bed.ownCluster().logs().split("pg_is_in_recovery()").length - 1;
    await sleep(1_100);
    const before = checks();
    const begun = performance.now();
    const statuses: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all(Array.from({ length: 25 }, () => probe()));
      statuses.push(...answers.map(({ status }) => status));
      await sleep(100);
    }
    const seconds = (performance.now() - begun) / 1000;
    await bed.database.query("alter system reset log_statement");
    await bed.database.query("select pg_reload_conf()");
    assert.equal(statuses.filter((status) => status === 200).length, 500);
    const made = checks() - before;
    assert.ok(made >= 1, "the database was asked");
    // The worker and the node that is cut off look for themselves, every five seconds.
    const byOthers = 2 * (Math.floor(seconds / 5) + 1);
    assert.ok(made <= Math.floor(seconds) + 1 + byOthers, `${made} checks in ${seconds.toFixed(1)} s`);
  });

  it("the health probe fails within 2 s of PostgreSQL stopping and recovers with it", async () => {
    await bed.ownCluster().stop();
    try {
      await becomes(false, 2_000);
      const answer = await sendRequest(bed.baseUrl, { path: PATH });
      assert.equal(answer.status, 503);
      assert.match(answer.headers["content-type"] ?? "", /^text\/plain\b/);
      assert.match(answer.text, /the service is degraded right now/);
      assert.equal(answer.body, undefined, "plain text, as the specification says, and no JSON");
    } finally {
      await bed.ownCluster().start();
    }
    await becomes(true, 5_000);
  });

  it("the health probe fails within 2 s while PostgreSQL is read-only", async () => {
    await bed.database.query("alter system set default_transaction_read_only = on");
    await bed.database.query("select pg_reload_conf()");
    try {
      await becomes(false, 2_000);
    } finally {
      await bed.database.query("alter system reset default_transaction_read_only");
      await bed.database.query("select pg_reload_conf()");
    }
    await becomes(true, 5_000);
  });

  it("the health probe never takes longer than 3 s, also while PostgreSQL hangs, and fails within 2 s", async () => {
    const processes = processesUsing(bed.cluster.dataDirectory);
    assert.ok(processes.length > 5, "the postmaster and its backends");
    const hungAt = performance.now();
    const answers: { status: number; tookMs: number; askedAfterMs: number }[] = [];
    for (const { pid } of processes) process.kill(pid, "SIGSTOP");
    try {
      const asking: Promise<void>[] = [];
      for (let asked = 0; asked < 60; asked += 1) {
        const askedAfterMs = performance.now() - hungAt;
        asking.push(
          probe().then(({ status, tookMs }) => void answers.push({ status, tookMs, askedAfterMs })),
        );
        await sleep(100);
      }
      await Promise.all(asking);
    } finally {
      for (const { pid } of processes) process.kill(pid, "SIGCONT");
    }
    assert.equal(answers.length, 60);
    const slowest = Math.max(...answers.map(({ tookMs }) => tookMs));
    atMost(slowest, 3_000, "the slowest answer");
    const normal = answers.filter(({ status }) => status === 200);
    const lastNormalMs = Math.max(0, ...normal.map(({ askedAfterMs, tookMs }) => askedAfterMs + tookMs));
    atMost(lastNormalMs, 2_000, "it says normal no longer");
    await becomes(true, 8_000);
  });

  /** Begins conversations of an agent, each with one message. */
  async function askIn(agent: MadeAgent, conversations: number): Promise<void> {
    for (let count = 0; count < conversations; count += 1)
      await agent.ask(await agent.converse(), "Anybody there?");
  }

  it("the health probe fails while deliveries of most agents are over 60 s late, and never for those of one", async () => {
    const [one, other] = [await makeAgent(bed), await makeAgent(bed)];
    for (const [agent, conversations] of [
      [one, 6],
      [other, 1],
    ] as const) {
      agent.respond(() => ({ status: 500 }));
      await askIn(agent, conversations);
      await agent.arrivals(conversations);
    }
    assert.equal(await bed.worker().stop(), 0);
    // The breaker may have opened and parked some of them.
    const dueBefore = (agent: MadeAgent, seconds: number) =>
      bed.database.query(
        `update lane set state = 'awake', parked_at = null, due_at = now() - $2 * interval '1 second'
          where agent_id = $1 and state <> 'idle' returning id`,
        [agent.agentId, seconds],
      );
    assert.equal((await dueBefore(one, 3_600)).length, 6);
    assert.equal((await dueBefore(other, 50)).length, 1);
    await sleep(1_500);
    assert.equal((await probe()).status, 200, "an hour late is one agent's, and 50 s are not late");
    const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken });
    const { parts } = await operator.service.getStatus();
    assert.match(parts.find(({ part }) => part === "deliveries")?.message ?? "", /6 lanes: .* 36\d\d s late/);
    await dueBefore(other, 61);
    for (const agent of [one, other]) agent.respond(() => undefined);
    try {
      await becomes(false, 2_500);
    } finally {
      await bed.worker().start();
    }
    await one.arrivals(12, 20_000);
    await other.arrivals(2, 20_000);
    await becomes(true, 5_000);
  });

  it("the health probe fails without a worker's heartbeat for 15 s, and the status names the part", async () => {
    const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken });
    const failedParts = async () => {
      const { is_normal, parts } = await operator.service.getStatus();
      const failed = parts.filter(({ state }) => state === "failed");
      assert.equal(is_normal, failed.length === 0);
      return failed;
    };
    const aboutWorkers = () => logLines(bed.api()).filter((line) => line["part"] === "workers");
    // The tests before stop the worker, and on a slow machine it may have been missed then.
    const earlier = aboutWorkers().length;
    const warnings = () => aboutWorkers().slice(earlier);
    assert.deepEqual(await failedParts(), []);
    await bed.worker().kill9();
    const killedAt = performance.now();
    await becomes(false, 20_000);
    const secondsWithout = (performance.now() - killedAt) / 1000;
    assert.ok(secondsWithout > 8, `a worker that is replaced at once is not missed: ${secondsWithout} s`);
    const [failed, ...others] = await failedParts();
    assert.deepEqual([failed?.part, others], ["workers", []]);
    assert.match(failed?.message ?? "", /No worker has sent a heartbeat for \d+ s/);
    assert.match(failed?.advice ?? "", /signalbox serve worker/);
    assert.equal(await bed.api().isReady(), true, "the node accepts messages all the same");
    await eventually("the loss is logged", () => warnings().length === 1);
    await bed.worker().start();
    await becomes(true, 10_000);
    await eventually("and the return", () => warnings().length === 2);
    assert.deepEqual(
      warnings().map(({ level, event }) => [level, event]),
      [
        ["warn", "part_failed"],
        ["warn", "part_recovered"],
      ],
    );
  });

  it("the health probe fails while messages of most agents wait over 60 s for their turn, and never for those of one", async () => {
    const [one, other] = [await makeAgent(bed), await makeAgent(bed)];
    assert.equal(await bed.worker().stop(), 0);
    await askIn(one, 6);
    await askIn(other, 1);
    const waitsFor = (agent: MadeAgent, seconds: number) =>
      bed.database.query(
        "update conversation set turn_due_since = now() - $2 * interval '1 second' where agent_id = $1 and turn_awake returning id",
        [agent.agentId, seconds],
      );
    assert.equal((await waitsFor(one, 3_600)).length, 6);
    assert.equal((await waitsFor(other, 50)).length, 1);
    await sleep(1_500);
    assert.equal((await probe()).status, 200, "an hour late is one agent's, and 50 s are not late");
    await waitsFor(other, 61);
    try {
      await becomes(false, 2_500);
    } finally {
      await bed.worker().start();
    }
    await one.arrivals(6, 20_000);
    await other.arrivals(1, 20_000);
    await becomes(true, 5_000);
  });

  it("the health probe fails after 10 s with an engine that hangs, names its quorum, and recovers with it", async () => {
    const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken });
    process.kill(bed.engine.pid(), "SIGSTOP");
    const hungAt = performance.now();
    try {
      await sleep(7_000);
      assert.equal((await probe()).status, 200, "7 s are not 10 s");
      await becomes(false, 6_000);
      atMost(performance.now() - hungAt, 13_000, "seen after 10 s");
      const { parts } = await operator.service.getStatus();
      const engine = parts.find(({ part }) => part === "engine");
      assert.equal(engine?.state, "failed");
      assert.match(engine.message, /Restate lets calls time out: it has taken none for 1\d s/);
      assert.match(engine.advice ?? "", /quorum/);
    } finally {
      process.kill(bed.engine.pid(), "SIGCONT");
    }
    await becomes(true, 10_000);
  });

  it("the health probe fails from the start while the engine has never answered, and the node is ready", async () => {
    await using early = await startService({
      role: "api",
      name: "api-early",
      port: await freePort(),
      directory: bed.directory,
      environment: { ...bed.environment, ENGINE_INGRESS_URL: `http://127.0.0.1:${await freePort()}` },
    });
    for (let look = 0; look < 5; look += 1) {
      assert.equal((await probe(early.baseUrl)).status, 503);
      await sleep(200);
    }
    assert.equal(await early.isReady(), true);
  });

  it("the health probe fails after 30 s without the engine and recovers with it", async () => {
    const silentSeconds = () => (performance.now() - lostAt) / 1000;
    // The node looks every 2 s, so its count may have begun that much before the kill.
    if (silentSeconds() < 27) {
      await sleep((27 - silentSeconds()) * 1000);
      assert.equal((await probe(cutOff.baseUrl)).status, 200, "27 s are not 30 s");
    }
    await sleep(Math.max(0, 30 - silentSeconds()) * 1000);
    await becomes(false, 3_000, cutOff.baseUrl);
    assert.equal((await probe()).status, 200, "a node that reaches its engine is normal");
    assert.equal(await cutOff.isReady(), true, "a balancer may still send: messages are accepted without it");
    const engineWarnings = () =>
      logLines(cutOff)
        .filter(({ event }) => event?.startsWith("engine_") === true)
        .map(({ level, event }) => [level, event]);
    assert.deepEqual(engineWarnings(), [["warn", "engine_lost"]], "one line, however long it lasts");
    await lostEngine.start();
    await becomes(true, 5_000, cutOff.baseUrl);
    assert.deepEqual(engineWarnings(), [
      ["warn", "engine_lost"],
      ["warn", "engine_back"],
    ]);
  });
});

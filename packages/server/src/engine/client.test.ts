import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { callsIn } from "@signalbox/tests/support/engine-calls.ts";
import { eventually, freePort } from "@signalbox/tests/support/processes.ts";
import { startReceiver } from "@signalbox/tests/support/receiver.ts";
import { createMetrics } from "../platform/index.ts";
import { openEngine, type SendFailure } from "./client.ts";
import { objectKey } from "./object-key.ts";
import { reportSendFailures } from "./send-failures.ts";

const ID = "0194c2b0-0000-7000-8000-000000000001";
const KEY = objectKey(ID, ID);

describe("engine client", () => {
  const keys = Array.from({ length: 30 }, (_, index) => objectKey(ID, ID.slice(0, -2) + String(index + 10)));

  it("engine calls due at the same moment share a request, and later ones wait for the next", async () => {
    await using ingress = await startReceiver();
    const gate = Promise.withResolvers<undefined>();
    ingress.respond(() => gate.promise);
    const engine = openEngine({ ingressUrl: ingress.url });
    try {
      const first = keys.slice(0, 10).map((key) => engine.send("turn", "run", key));
      await eventually("the first request is under way", () => ingress.requests.length === 1, { everyMs: 5 });
      const second = keys.slice(10).map((key) => engine.send("turn", "run", key));
      gate.resolve(undefined);
      assert.ok((await Promise.all([...first, ...second])).every(Boolean));
    } finally {
      await engine.close();
    }
    assert.deepEqual(
      ingress.requests.map((request) => callsIn([request]).length),
      [10, 20],
    );
    const calls = callsIn(ingress.requests);
    assert.deepEqual(
      calls.map(({ agentId, id }) => objectKey(agentId, id)),
      keys,
    );
    assert.equal(new Set(calls.map(({ callId }) => callId)).size, keys.length, "each has an id of its own");
  });

  it("the alarm of a slot is set once, and again when the engine refused it", async () => {
    await using ingress = await startReceiver();
    const engine = openEngine({ ingressUrl: ingress.url });
    try {
      ingress.respond(() => ({ status: 503 }));
      assert.equal(await engine.setAlarm("timers", 1_010, 1_000), false);
      ingress.respond(() => ({ status: 202 }));
      const taken = await Promise.all(
        [1_020, 1_030, 1_249].map((dueAt) => engine.setAlarm("timers", dueAt, 1_000)),
      );
      assert.ok(taken.every(Boolean));
    } finally {
      await engine.close();
    }
    const [lost, set, ...more] = ingress.requests;
    assert.deepEqual(
      [lost?.path, set?.path, more],
      ["/alarm/timers/send?delay=250ms", "/alarm/timers/send?delay=250ms", []],
    );
    assert.equal(set?.headers["idempotency-key"], "timers-1250");
    assert.deepEqual(set?.body, { fromMs: 1_000, untilMs: 1_250 });
  });

  it("an engine call shares no request with other objects, later calls or serialised handlers", async () => {
    await using ingress = await startReceiver();
    const engine = openEngine({ ingressUrl: ingress.url });
    try {
      await Promise.all([
        engine.send("turn", "run", KEY),
        engine.send("lane", "drain", KEY),
        engine.send("lane", "drain", KEY, 500),
        engine.send("ingest", "run", KEY),
      ]);
    } finally {
      await engine.close();
    }
    assert.deepEqual(ingress.requests.map(({ path }) => path).toSorted(), [
      "/batch/run/send",
      "/batch/run/send",
      `/ingest/${KEY}/run/send`,
      `/lane/${KEY}/drain/send?delay=500ms`,
    ]);
  });

  it("engine calls are sent one by one to an engine without batches", async () => {
    await using ingress = await startReceiver();
    ingress.respond(({ path }) => (path.startsWith("/batch/") ? { status: 404 } : undefined));
    const failures: SendFailure[] = [];
    const engine = openEngine({
      ingressUrl: ingress.url,
      onSendFailure: (failure) => void failures.push(failure),
    });
    try {
      const taken = await Promise.all(keys.slice(0, 3).map((key) => engine.send("turn", "run", key)));
      assert.deepEqual(taken, [true, true, true]);
    } finally {
      await engine.close();
    }
    assert.deepEqual(failures, []);
    const [batch, ...alone] = ingress.requests;
    assert.ok(batch !== undefined);
    assert.deepEqual(
      callsIn(alone).map(({ id, callId }) => [id, callId]),
      callsIn([batch]).map(({ id, callId }) => [id, callId]),
    );
  });
});

describe("engine probe", () => {
  it("an engine that answers its health check and takes no call fails the probe, unless it knows no worker yet", async () => {
    await using ingress = await startReceiver();
    const engine = openEngine({ ingressUrl: ingress.url });
    const answersCallsWith = (status: number) =>
      ingress.respond(({ path }) => (path === "/restate/health" ? undefined : { status }));
    try {
      answersCallsWith(202);
      assert.equal(await engine.probe(), undefined);
      answersCallsWith(404);
      assert.equal(await engine.probe(), undefined);
      answersCallsWith(503);
      assert.equal(await engine.probe(), "HTTP 503");
      ingress.respond(({ path }) => (path === "/restate/health" ? { status: 500 } : { status: 202 }));
      assert.equal(await engine.probe(), "HTTP 500");
    } finally {
      await engine.close();
    }
    const calls = ingress.requests.filter(({ path }) => path === "/batch/run/send");
    assert.deepEqual(
      calls.map(({ body, headers }) => [body, headers["idempotency-key"]]),
      [0, 1, 2].map((at) => [{ calls: [], tries: 0 }, `probe-${at}`]),
    );
  });
});

describe("failed engine calls", () => {
  it("a failed engine call is reported with its object, handler and cause", async () => {
    await using ingress = await startReceiver();
    const failures: SendFailure[] = [];
    const onSendFailure = (failure: SendFailure) => void failures.push(failure);
    const engine = openEngine({ ingressUrl: ingress.url, onSendFailure });
    const away = openEngine({ ingressUrl: `http://127.0.0.1:${await freePort()}`, onSendFailure });
    try {
      await engine.send("lane", "drain", KEY);
      assert.deepEqual(failures, [], "a call that is taken is no failure");
      ingress.respond(() => ({ status: 503 }));
      await engine.send("lane", "drain", KEY);
      await away.send("turn", "run", KEY);
      await away.probe();
    } finally {
      await Promise.all([engine.close(), away.close()]);
    }
    assert.deepEqual(failures, [
      { object: "lane", handler: "drain", cause: "HTTP 503" },
      { object: "turn", handler: "run", cause: "ECONNREFUSED" },
    ]);
  });

  it("each failed engine call is counted, and logged once in ten seconds with the number since the last line", async () => {
    const lines: Record<string, unknown>[] = [];
    const log = { warn: (event: string, fields?: object) => void lines.push({ event, ...fields }) };
    const metrics = createMetrics();
    let now = 0;
    const report = reportSendFailures(log, metrics, () => now);
    const failure = { object: "lane", handler: "drain", cause: "HTTP 503" };
    for (now = 0; now <= 10_000; now += 1_000) report(failure);
    report({ ...failure, object: "turn" });
    const line = { event: "engine_send_failed", ...failure };
    assert.deepEqual(lines, [
      { ...line, failures: 1 },
      { ...line, failures: 10 },
    ]);
    const text = await metrics.registry.metrics();
    assert.match(text, /^signalbox_engine_send_failures_total\{object="lane"\} 11$/m);
    assert.match(text, /^signalbox_engine_send_failures_total\{object="turn"\} 1$/m);
  });
});

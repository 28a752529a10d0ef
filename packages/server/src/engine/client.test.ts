import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { freePort } from "@signalbox/tests/support/processes.ts";
import { startReceiver } from "@signalbox/tests/support/receiver.ts";
import { createMetrics } from "../platform/index.ts";
import { openEngine, type SendFailure } from "./client.ts";
import { objectKey } from "./object-key.ts";
import { reportSendFailures } from "./send-failures.ts";

const ID = "0194c2b0-0000-7000-8000-000000000001";
const KEY = objectKey(ID, ID);

describe("a call that the engine does not take", () => {
  it("is reported with its object, its handler and the cause", async () => {
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
      await away.isReachable();
    } finally {
      await Promise.all([engine.close(), away.close()]);
    }
    assert.deepEqual(failures, [
      { object: "lane", handler: "drain", cause: "HTTP 503" },
      { object: "turn", handler: "run", cause: "ECONNREFUSED" },
    ]);
  });

  it("is counted each time and logged once in ten seconds, with the number since the line before", async () => {
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

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { createMetrics } from "../platform/index.ts";
import { watchEngine } from "./monitor.ts";

describe("engine monitor", () => {
  it("the engine's monitor tells apart an engine that never answered, one that refuses and one that times out", async () => {
    const events: string[] = [];
    const log = { warn: (event: string) => void events.push(event) };
    const stopping = new AbortController();
    let cause: string | undefined = "ECONNREFUSED";
    let probes = 0;
    const probe = async () => {
      probes += 1;
      return cause;
    };
    const options = { engine: { probe }, ingressUrl: "http://engine", log, metrics: createMetrics() };
    const monitor = watchEngine({ ...options, stopping: stopping.signal, everyMs: 5 });
    const stateAfter = async (next: string | undefined) => {
      cause = next;
      const before = probes;
      await eventually("it was probed again", () => probes > before + 1, { everyMs: 1 });
      const { silentMs, ...state } = await monitor.ask();
      assert.ok(silentMs >= 0);
      return state;
    };
    try {
      assert.deepEqual(await stateAfter("ECONNREFUSED"), { hasAnswered: false, refuses: true });
      assert.deepEqual(await stateAfter(undefined), { hasAnswered: true, refuses: false });
      assert.deepEqual(await stateAfter("UND_ERR_HEADERS_TIMEOUT"), { hasAnswered: true, refuses: false });
      assert.deepEqual(await stateAfter("HTTP 503"), { hasAnswered: true, refuses: true });
    } finally {
      stopping.abort();
    }
    assert.deepEqual(events, ["engine_lost", "engine_back", "engine_lost"]);
  });
});

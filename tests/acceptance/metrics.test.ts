import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { MODEL_CAUSE_NAMES, ModelKind, OperatorEventBody } from "@signalbox/contract";
import { makeAgent } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { eventually } from "../support/processes.ts";
import { asOperator, sendRequest } from "../support/wire.ts";

/** Every counter of ours with all its labels, and its value. */
async function readCounters(bed: Bed): Promise<Map<string, number>> {
  const read = async ({ name, baseUrl }: { name: string; baseUrl: string }) => {
    const { text } = await sendRequest(baseUrl, { path: "/metrics", headers: asOperator(bed) });
    const counters = [...text.matchAll(/^# TYPE (signalbox_\w+) counter$/gm)].map(([, counter]) => counter);
    assert.ok(counters.length >= 8, `${name} has ${counters.length} counters`);
    return [...text.matchAll(/^((signalbox_\w+)(?:\{[^}]*\})?) (\S+)$/gm)].flatMap(
      ([, series = "", metric = "", value]) =>
        counters.includes(metric) ? [[`${name} ${series}`, Number(value)] as const] : [],
    );
  };
  return new Map((await Promise.all([bed.api(), bed.worker()].map(read))).flat());
}

describe("metrics", () => {
  let bed: Bed;
  before(async () => {
    const environment = { DELIVERY_RETRY_SECONDS: "0.2", DELIVERY_BLOCKED_SECONDS: "1" };
    bed = await openBed({ apis: 1, workers: 1, environment });
  });
  after(() => bed[Symbol.asyncDispose]());

  it("every series of a counter stands at 0 from the start, and what happens adds to one that was there", async () => {
    const before = await readCounters(bed);
    const names = [...before.keys()];
    for (const event of OperatorEventBody.options.map(({ shape }) => shape.event.value))
      assert.equal(before.get(`worker-1 signalbox_operator_events_total{kind="${event}"}`), 0, event);
    for (const model of ModelKind.options)
      for (const cause of MODEL_CAUSE_NAMES)
        assert.equal(
          before.get(`worker-1 signalbox_model_failures_total{model="${model}",cause="${cause}"}`),
          0,
        );
    for (const counter of ["limit_refusals", "turns", "model_tokens", "engine_send_failures"])
      assert.ok(
        names.filter((name) => name.startsWith(`api-1 signalbox_${counter}_total{`)).length >= 8,
        counter,
      );
    assert.ok(names.filter((name) => name.startsWith("worker-1 signalbox_reconciled_total{")).length >= 20);

    const agent = await makeAgent(bed);
    await agent.ask(await agent.converse(), "Hello");
    await agent.arrivals(1);
    agent.respond(() => ({ status: 400 }));
    await agent.ask(await agent.converse(), "Is anybody there?");
    const dead = 'worker-1 signalbox_operator_events_total{kind="delivery_dead"}';
    await eventually("it is given up", async () => (await readCounters(bed)).get(dead) === 1);
    await bed.engine.stop();
    await agent.ask(await agent.converse(), "Hello again");
    await eventually("a call of the engine failed", async () => {
      const failed = [...(await readCounters(bed))].filter(([name]) => name.includes("engine_send_failures"));
      return failed.some(([, value]) => value > 0);
    });
    await bed.engine.start();
    assert.deepEqual(
      [...(await readCounters(bed)).keys()].filter((name) => !before.has(name)),
      [],
    );
  });

  it("gauges tell how much waits, who works and which version runs", async () => {
    const agent = await makeAgent(bed);
    // Its destination is disabled, so that the message waits.
    agent.respond(() => ({ status: 410 }));
    await agent.ask(await agent.converse(), "Hello");
    await agent.arrivals(1);
    const read = async ({ baseUrl }: { baseUrl: string }) =>
      (await sendRequest(baseUrl, { path: "/metrics", headers: asOperator(bed) })).text;
    const expected = [
      /^signalbox_deliveries_pending [1-9]/m,
      /^signalbox_deliveries_given_up [1-9]/m,
      /^signalbox_workers 1$/m,
      /^signalbox_breakers_open \d+$/m,
      /^signalbox_oldest_waiting_message_seconds \d/m,
      /^signalbox_oldest_late_delivery_seconds \d/m,
    ];
    await eventually("the leading worker has read them", async () => {
      const text = await read(bed.worker());
      return expected.every((line) => line.test(text));
    });
    const api = await read(bed.api());
    for (const line of expected) assert.doesNotMatch(api, line, "a process that does not lead says nothing");
    for (const text of [api, await read(bed.worker())]) {
      assert.match(text, /^signalbox_build_info\{version="\d+\.\d+\.\d+[^"]*",migration="\d{4}_\w+"\} 1$/m);
      assert.match(text, /^signalbox_database_pool_size\{pool="work"\} 10$/m);
      assert.match(text, /^signalbox_database_pool_used\{pool="work"\} \d+$/m);
    }
  });
});

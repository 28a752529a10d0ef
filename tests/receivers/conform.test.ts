import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { conform } from "@signalbox/sdk/conform";
import { type Defect, startHandwritten } from "./handwritten-receiver.ts";
import { CAUGHT, judge } from "./mistakes.ts";

describe("conform", () => {
  it("conform finds nothing wrong with a receiver written from the documents", async () => {
    const report = await judge();
    assert.deepEqual(
      report.results.filter(({ state }) => state !== "passed"),
      [],
    );
    assert.equal(report.passed, report.results.length);
  });

  for (const [defect, [rule, found, fix]] of Object.entries(CAUGHT) as [Defect, (typeof CAUGHT)[Defect]][]) {
    it(`conform catches: ${defect}`, async () => {
      const { results } = await judge(defect);
      const failed = results.filter(({ state }) => state === "failed");
      const caught = failed.find(({ id }) => id === rule);
      assert.ok(caught, `${rule} did not fail; ${failed.map(({ id }) => id).join(", ")} did`);
      assert.match(caught.found ?? "", found);
      assert.match(caught.fix ?? "", fix);
    });
  }

  it("conform reports a mistake that touches one rule under that rule alone", async () => {
    const single: Defect[] = [
      "old signature accepted",
      "first signature only",
      "parsed body",
      "istest handled",
      "istest refused",
      "no dedup",
      "repeat refused",
      "msg everywhere",
      "null ids refused",
      "unknown close refused",
      "reads latin1",
      "redirect",
      "slow",
      "hangs up",
      "201",
      "204",
      "no close path",
    ];
    for (const defect of single) {
      const failed = (await judge(defect)).results.filter(({ state }) => state === "failed");
      assert.deepEqual(
        failed.map(({ id }) => id),
        [CAUGHT[defect][0]],
        defect,
      );
    }
  });

  it("conform names one cause for a port where nothing listens, and passes no rule", async () => {
    await using receiver = await startHandwritten();
    await receiver[Symbol.asyncDispose]();
    const report = await conform({ url: receiver.url, as: "both" });
    assert.deepEqual([report.passed, report.failed], [0, 1]);
    const [cause] = report.results;
    assert.match(`${cause?.id}: ${cause?.found}`, /answers-200: .* could not be reached/);
    const [inTime] = (await conform({ url: receiver.url, rules: ["in-time"] })).results;
    assert.equal(inTime?.state, "failed");
  });

  it("conform ends when its time is up, whatever the receiver does", async () => {
    // Answers the ordinary calls at once and lets every other hang.
    let calls = 0;
    const server = createServer((request, response) => {
      request.resume();
      calls += 1;
      if (calls <= 4) response.writeHead(200).end("{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const { results } = await conform({
      url: `http://127.0.0.1:${port}/hooks`,
      as: "both",
      runLimitMs: 1_500,
    });
    server.closeAllConnections();
    server.close();
    assert.ok(results.some(({ found }) => /took too long/.test(found ?? "")));
  });

  it("conform says which rules it skipped", async () => {
    const { results, skipped } = await judge(undefined, {
      as: "message",
      username: undefined,
      signingSecret: undefined,
      effects: undefined,
    });
    const ids = results.filter(({ state }) => state === "skipped").map(({ id }) => id);
    assert.equal(skipped, ids.length);
    for (const id of ["no-credentials", "raw-bytes", "test-ignored"]) assert.ok(ids.includes(id), id);
    assert.ok(!results.some(({ id }) => id === "takes-every-handoff"));
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { atMost } from "../support/machine.ts";
import { percentile } from "../support/percentile.ts";
import { runResources } from "./campaign.ts";
import { BOUNDS, resourceFigures } from "./figures.ts";

const SEED = 1;
/** The slowest of a few requests says more of the machine: this test judges the median, the long form the p99. */
const HICCUP_MS = 250;

describe("resources under valid requests of every role", () => {
  it("valid requests of every role on every route leave prepared statements, memory and another tenant's answers within bounds", async (context) => {
    const result = await runResources({
      seed: SEED,
      rounds: 2,
      secondsPerRound: 5,
      probes: 32,
      perSecond: 60,
      say: (line) => context.diagnostic(line),
    });
    const { figures } = resourceFigures(result);
    context.diagnostic(JSON.stringify(figures));
    assert.ok(figures.accepted_share > 0.25, "a good part of the requests is accepted");
    const shapes = [...result.shapes].filter(([, count]) => count > BOUNDS.shapesOfRoute);
    assert.deepEqual(shapes, [], "statements of a route have few shapes");
    assert.ok(figures.statements_max <= BOUNDS.statements, `${figures.statements_max} statements`);
    assert.ok(figures.backend_mb_max <= BOUNDS.backendMb, `${figures.backend_mb_max} MB of one backend`);
    assert.ok(figures.node_growth_mb <= BOUNDS.nodeGrowthMb, `the node grew by ${figures.node_growth_mb} MB`);
    assert.equal(figures.victim_errors, 0);
    const { latenciesMs } = result.rest;
    const restMs = percentile(latenciesMs, 0.5);
    const allowedMs = Math.max(BOUNDS.victimRatio * restMs, restMs + HICCUP_MS);
    atMost(figures.victim_median_ms, allowedMs, "the victim's median");
    atMost(
      figures.wait_share_max * 1_000,
      BOUNDS.waitShare * 1_000,
      "waiting for connections in each second",
    );
  });
});

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { parse } from "yaml";
import { makeAgent } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { eventually, freePorts } from "../support/processes.ts";
import { startPrometheus, type Prometheus } from "../support/prometheus.ts";
import { asOperator, sendRequest } from "../support/wire.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const directory = join(root, "deploy/observability");
const RUNBOOK = "docs/how-to/monitor.md";
/** More than the rule allows in a quarter of an hour. */
const RESUMED = 130;
const FIRES_WITHIN = { timeoutMs: 60_000, everyMs: 250 };

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}
interface RuleTest {
  alert_rule_test: { alertname: string; exp_alerts: unknown[] }[];
}

const yamlOf = async (name: string) => parse(await readFile(join(directory, name), "utf8")) as unknown;
const { groups } = (await yamlOf("alerts.yml")) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

interface Panel {
  id: number;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string }[];
}

const dashboard = JSON.parse(await readFile(join(directory, "dashboard.json"), "utf8")) as {
  panels: Panel[];
};
const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

describe("alert rules", () => {
  const closing = new AsyncDisposableStack();
  let bed: Bed;
  let prometheus: Prometheus;
  before(async () => {
    const environment = { DELIVERY_RETRY_SECONDS: "0.2", DELIVERY_BLOCKED_SECONDS: "1" };
    bed = closing.use(await openBed({ apis: 1, workers: 2, ownCluster: true, environment }));
    prometheus = closing.use(
      await startPrometheus({
        directory: bed.directory,
        operatorToken: bed.operatorToken,
        targets: [bed.api(), bed.worker(0), bed.worker(1)].map(({ baseUrl }) => baseUrl),
        rules: join(directory, "alerts.yml"),
      }),
    );
  });
  after(() => closing.disposeAsync());

  /** While the fault lasts all of them fire together, and when it is over none does. */
  async function fire(...names: string[]): Promise<void> {
    let last: string[] = [];
    await eventually(
      `${names.join(", ")} fire`,
      async () => {
        last = [...(await prometheus.firing())];
        return names.every((name) => last.includes(name));
      },
      FIRES_WITHIN,
    ).catch((error: unknown) => assert.fail(`only ${last.join(", ")} fire: ${String(error)}`));
  }
  async function endFiring(...names: string[]): Promise<void> {
    await eventually(
      `${names.join(", ")} end`,
      async () => (await prometheus.firing()).isDisjointFrom(new Set(names)),
      FIRES_WITHIN,
    );
  }

  it("alert rules pass promtool, and each is seen to fire in a unit test of its own", async () => {
    await run("promtool", ["check", "rules", "alerts.yml"], { cwd: directory });
    await run("promtool", ["test", "rules", "alerts.test.yml"], { cwd: directory });
    const { tests } = (await yamlOf("alerts.test.yml")) as { tests: RuleTest[] };
    const fired = tests.flatMap(({ alert_rule_test }) =>
      alert_rule_test.filter(({ exp_alerts }) => exp_alerts.length > 0).map(({ alertname }) => alertname),
    );
    assert.deepEqual(rules.map(({ alert }) => alert).toSorted(), fired.toSorted());
  });

  it("an alert rule names its severity and a section of the runbook that says what to do", async () => {
    const sections = new Map(
      (await readFile(join(root, RUNBOOK), "utf8"))
        .split(/^### /m)
        .map((section) => [section.slice(0, section.indexOf("\n")), section]),
    );
    for (const { alert, labels, annotations } of rules) {
      assert.ok(["page", "ticket"].includes(labels.severity), alert);
      assert.equal(annotations.runbook_url, `${RUNBOOK}#${alert.toLowerCase()}`);
      assert.ok(annotations.summary.length > 20, alert);
      assert.ok((sections.get(alert)?.length ?? 0) > 150, `${RUNBOOK} has a section ### ${alert}`);
    }
  });

  it("every query of the dashboard parses, and its panels do not overlap", async () => {
    const file = join(bed.directory, "dashboard.yml");
    const recorded = queries.map((expr, index) => ({ record: `query_${index}`, expr }));
    await writeFile(file, JSON.stringify({ groups: [{ name: "dashboard", rules: recorded }] }));
    await run("promtool", ["check", "rules", file]);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    assert.equal(new Set(cells).size, cells.length);
    assert.equal(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length);
  });

  it("alert rules and dashboard use no metric that the service does not export", async () => {
    const exported = async () => {
      const texts = await Promise.all(
        [bed.api(), bed.worker(0), bed.worker(1)].map(
          async ({ baseUrl }) =>
            (await sendRequest(baseUrl, { path: "/metrics", headers: asOperator(bed) })).text,
        ),
      );
      return new Set(
        texts.flatMap((text) => [...text.matchAll(/^([a-z]\w+)[{ ]/gm)].map(([, name]) => name)),
      );
    };
    const used = [...rules.map(({ expr }) => expr), ...queries].flatMap(
      (expr) => expr.match(/\b(?:signalbox|nodejs|process)_\w+/g) ?? [],
    );
    assert.ok(used.length >= rules.length + queries.length - 3);
    let missing: string[] = [];
    // A histogram of deliveries has buckets after the first one.
    const agent = await makeAgent(bed);
    await agent.ask(await agent.converse(), "Hello");
    await eventually("all metrics are there", async () => {
      const found = await exported();
      missing = used.filter((name) => !found.has(name));
      return missing.length === 0;
    }).catch(() => assert.fail(`no process exports ${missing.join(", ")}`));
  });

  it("alerts fire while a worker is gone and the engine hangs, and end with the fault", async () => {
    const agent = await makeAgent(bed);
    await eventually(
      "two workers are counted",
      async () => !(await prometheus.firing()).has("SignalboxNoLeader"),
    );
    const all = ["SignalboxProcessGone", "SignalboxWorkerMissing", "SignalboxEngineDown"];
    assert.ok((await prometheus.firing()).isDisjointFrom(new Set(all)), "nothing fires while all is well");
    process.kill(bed.engine.pid(), "SIGSTOP");
    try {
      await bed.worker(1).kill9();
      await agent.ask(await agent.converse(), "Is anybody there?");
      await fire(...all, "SignalboxEngineRefusesCalls");
    } finally {
      process.kill(bed.engine.pid(), "SIGCONT");
    }
    await bed.worker(1).start();
    await endFiring(...all);
  });

  it("alerts fire while no worker runs, and end when one is back", async () => {
    const all = ["SignalboxNoWorkers", "SignalboxNoLeader"];
    await Promise.all([bed.worker(0).kill9(), bed.worker(1).kill9()]);
    await fire(...all);
    await bed.worker(0).start();
    await bed.worker(1).start();
    await endFiring(...all, "SignalboxProcessGone");
  });

  it("alerts fire for the first message that is given up", async () => {
    for (const status of [400, 410]) {
      const agent = await makeAgent(bed);
      agent.respond(() => ({ status }));
      await agent.ask(await agent.converse(), "Is anybody there?");
    }
    await fire("SignalboxMessagesGivenUp", "SignalboxDestinationDisabled");
  });

  it("alerts fire for a destination that is down, and for calls that Restate lost and the reconciler makes again", async () => {
    const [nowhere = 0] = await freePorts(1);
    const [gone, busy] = await Promise.all([
      makeAgent(bed, { webhook: { url: `http://127.0.0.1:${nowhere}/` } }),
      makeAgent(bed),
    ]);
    for (let message = 0; message < 6; message += 1) await gone.ask(await gone.converse(), "Hello");
    const conversations: string[] = [];
    while (conversations.length < RESUMED) conversations.push(await busy.converse());
    await bed.engine.kill9();
    for (const conversation of conversations) await busy.ask(conversation, "Hello");
    await bed.engine.start();
    await fire("SignalboxBreakersOpen", "SignalboxWorkStalls");
    await busy.arrivals(RESUMED, 60_000);
  });

  it("an alert fires for a process that is short of CPU", async () => {
    const pid = bed.worker(1).pid();
    let isStarved = true;
    const starving = (async () => {
      while (isStarved) {
        process.kill(pid, "SIGSTOP");
        await sleep(700);
        process.kill(pid, "SIGCONT");
        await sleep(300);
      }
    })();
    try {
      await fire("SignalboxEventLoopSlow");
    } finally {
      isStarved = false;
      await starving;
    }
  });

  it("alerts fire while PostgreSQL is stopped, and none that blames another part", async () => {
    const agent = await makeAgent(bed);
    const conversation = await agent.converse();
    await bed.ownCluster().stop();
    const asking = setInterval(() => void agent.ask(conversation, "Hello").catch(() => undefined), 500);
    try {
      await fire("SignalboxDatabaseDown", "SignalboxErrors");
      const blamed = ["NoWorkers", "NoLeader", "AnswersLate", "DeliveriesLate"].map(
        (name) => `Signalbox${name}`,
      );
      assert.ok((await prometheus.firing()).isDisjointFrom(new Set(blamed)));
    } finally {
      clearInterval(asking);
      await bed.ownCluster().start();
    }
    await endFiring("SignalboxDatabaseDown");
  });
});
